import t from 'tap'
import { growthOf } from '../../../bench/soak/flatness.ts'

t.test('what rises and then stays is flat', async (t) => {
  const values = Array.from({ length: 60 }, (_, minute) => Math.min(minute, 20))
  t.equal(growthOf(values), 0)
})

t.test('what goes on rising is not', async (t) => {
  const values = Array.from({ length: 60 }, (_, minute) => 100 + minute)
  t.ok(growthOf(values) > 0.09)
})

t.test('one outlier says nothing', async (t) => {
  const values = Array.from({ length: 40 }, (_, minute) => (minute === 37 ? 900 : 10))
  t.equal(growthOf(values), 0)
})

t.test('of three minutes nothing can be said', async (t) => {
  t.ok(Number.isNaN(growthOf([1, 2, 3])))
})
