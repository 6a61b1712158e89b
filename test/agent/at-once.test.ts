import fc from 'fast-check'
import t from 'tap'
import { nextAtOnce } from '../../agent/at-once.ts'

const most = fc.integer({ min: 1, max: 10_000 })
const loads = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 50 })

t.test('however busy it was, between one and the most of its settings may run', async () => {
  fc.assert(
    fc.property(most, loads, (limit, seen) => {
      const now = seen.reduce((atOnce, busy) => nextAtOnce(atOnce, busy, limit), limit)
      return now >= Math.min(32, limit) && now <= limit
    }),
  )
})

t.test('a process that has pauses again is back at the most within nine looks', async () => {
  fc.assert(
    fc.property(most, loads, (limit, seen) => {
      const before = seen.reduce((atOnce, busy) => nextAtOnce(atOnce, busy, limit), limit)
      return (
        Array.from({ length: 9 }).reduce<number>((atOnce) => nextAtOnce(atOnce, 0.5, limit), before) === limit
      )
    }),
  )
})

t.test('without a pause it goes down to 32', async (t) => {
  const seen = [500]
  while (seen.length < 7) seen.push(nextAtOnce(seen.at(-1) as number, 1, 500))
  t.same(seen, [500, 250, 125, 62, 32, 32, 32])
})
