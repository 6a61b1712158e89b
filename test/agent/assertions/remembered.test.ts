import t from 'tap'
import { remembered } from '../../../agent/assertions/remembered.ts'

t.test('an answer is made once, and again when too many others came between', async (t) => {
  const made: string[] = []
  const upper = remembered(
    (text) => {
      made.push(text)
      return text.toUpperCase()
    },
    { limit: 2 },
  )
  t.same(['a', 'a', 'b', 'a'].map(upper), ['A', 'A', 'B', 'A'])
  t.same(made, ['a', 'b'])
  t.same(['c', 'a', 'c'].map(upper), ['C', 'A', 'C'])
  t.same(made, ['a', 'b', 'c', 'a'])
})

t.test('what is too large is made each time', async (t) => {
  let count = 0
  const lengthOf = remembered(
    (text) => {
      count += 1
      return text.length
    },
    { limit: 2, keeps: (length) => length < 3 },
  )
  t.same(['long', 'long', 'no', 'no'].map(lengthOf), [4, 4, 2, 2])
  t.equal(count, 3)
})
