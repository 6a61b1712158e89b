import t from 'tap'
import {
  type DueTimes,
  hasDueTime,
  withoutDueTimes,
} from '../../../../control-plane/monitoring/schedule/without-due-times.ts'
import { fc } from '../../../support/fast-check.ts'

const dueTimesOf = ({ firstDueAt, stepMs, count }: DueTimes): number[] =>
  Array.from({ length: count }, (_, n) => firstDueAt + n * stepMs)

const range = fc
  .record({
    firstDueAt: fc.nat(1e6),
    stepMs: fc.integer({ min: 1, max: 5000 }),
    count: fc.integer({ min: 1, max: 40 }),
  })
  .map((one) => ({ ...one, lastDueAt: one.firstDueAt + (one.count - 1) * one.stepMs }))

t.test('what was taken and what is left are what there was', (t) => {
  fc.assert(
    fc.property(range, fc.array(fc.nat(45)), (one, positions) => {
      const taken = positions.map((n) => one.firstDueAt + n * one.stepMs)
      const left = withoutDueTimes(one, taken)
      const expected = dueTimesOf(one).filter((at) => !taken.includes(at))
      t.strictSame(left.flatMap(dueTimesOf), expected)
      for (const part of left) t.equal(part.lastDueAt, dueTimesOf(part).at(-1))
    }),
  )
  t.end()
})

t.test('only due times of the range are taken out of it', (t) => {
  const one = { firstDueAt: 100, lastDueAt: 300, stepMs: 100, count: 3 }
  t.strictSame(withoutDueTimes(one, [50, 150, 400]), [one])
  t.strictSame(
    [100, 200, 300, 150, 0, 400].map((at) => hasDueTime(one, at)),
    [true, true, true, false, false, false],
  )
  t.ok(hasDueTime({ firstDueAt: 5, lastDueAt: 5, stepMs: 0, count: 1 }, 5))
  t.end()
})
