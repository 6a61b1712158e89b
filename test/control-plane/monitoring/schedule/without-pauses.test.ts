import t from 'tap'
import type { SlotPlan } from '../../../../control-plane/monitoring/schedule/plan-slots.ts'
import { type Pause, withoutPauses } from '../../../../control-plane/monitoring/schedule/without-pauses.ts'
import { fc } from '../../../support/fast-check.ts'

const location = { id: 'a', name: 'a' }
const times = (plan: SlotPlan): number[] => [
  ...plan.jobs.map(({ dueAt }) => dueAt),
  ...plan.missed.flatMap(({ firstDueAt, stepMs, count, lastDueAt }) => {
    if (lastDueAt !== firstDueAt + (count - 1) * stepMs || count < 1) throw new Error('a range that is none')
    return Array.from({ length: count }, (_, i) => firstDueAt + i * stepMs)
  }),
]

const plan = fc
  .record({
    first: fc.integer({ min: 0, max: 100 }),
    stepMs: fc.integer({ min: 1, max: 20 }),
    count: fc.integer({ min: 1, max: 40 }),
  })
  .map(({ first, stepMs, count }): SlotPlan => {
    const lastDueAt = first + (count - 1) * stepMs
    const job = { dueAt: lastDueAt + stepMs, expiresAt: lastDueAt + 2 * stepMs, location }
    return {
      jobs: [job],
      missed: [{ location, firstDueAt: first, lastDueAt, stepMs, count }],
      nextAt: job.expiresAt,
      turn: count + 1,
    }
  })

const pauses = fc.uniqueArray(fc.integer({ min: 0, max: 900 }), { maxLength: 8 }).map((ends): Pause[] => {
  const sorted = [...ends].sort((a, b) => a - b)
  return Array.from({ length: Math.floor(sorted.length / 2) }, (_, i) => ({
    from: sorted[2 * i] as number,
    to: sorted[2 * i + 1] as number,
  }))
})

t.test('exactly the due times outside of the pauses are left', async (t) => {
  let taken = 0
  fc.assert(
    fc.property(plan, pauses, (plan, pauses) => {
      const wanted = times(plan).filter((time) => !pauses.some(({ from, to }) => time >= from && time < to))
      taken += times(plan).length - wanted.length
      const left = withoutPauses(plan, pauses)
      return (
        JSON.stringify(times(left).sort()) === JSON.stringify(wanted.sort()) && left.nextAt === plan.nextAt
      )
    }),
    { numRuns: 2000 },
  )
  t.ok(taken > 100, `${taken} due times were taken out`)
})
