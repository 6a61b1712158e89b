import t from 'tap'
import { planSlots, type Schedule } from '../../../../control-plane/monitoring/schedule/plan-slots.ts'
import { slotAfter, slotAtOrBefore } from '../../../../control-plane/monitoring/schedule/slots.ts'
import { fc } from '../../../support/fast-check.ts'

const period = fc.constantFrom(10_000, 20_000, 30_000, 60_000, 300_000, 600_000, 86_400_000)
const slots = period.chain((periodMs) =>
  fc.record({ periodMs: fc.constant(periodMs), phaseMs: fc.integer({ min: 0, max: periodMs - 1 }) }),
)
const time = fc.integer({ min: 1_600_000_000_000, max: 1_900_000_000_000 })

t.test('the slot after a time is on the grid, later, and at most one period away', async (t) => {
  fc.assert(
    fc.property(slots, time, (grid, now) => {
      const next = slotAfter(grid, now)
      return (next - grid.phaseMs) % grid.periodMs === 0 && next > now && next - now <= grid.periodMs
    }),
  )
  t.pass('no counterexample')
})

t.test('the slot at or before a time is the one before the slot after it', async (t) => {
  fc.assert(
    fc.property(
      slots,
      time,
      (grid, now) => slotAtOrBefore(grid, now) + grid.periodMs === slotAfter(grid, now),
    ),
  )
  t.pass('no counterexample')
})

const schedule: fc.Arbitrary<{ schedule: Schedule; now: number; lookAheadMs: number }> = fc
  .record({
    grid: slots,
    now: time,
    behind: fc.integer({ min: -3, max: 200 }),
    turn: fc.integer({ min: 0, max: 1000 }),
    parallel: fc.boolean(),
    places: fc.integer({ min: 1, max: 4 }),
    lookAheadMs: fc.constantFrom(0, 5000, 10_000),
  })
  .map(({ grid, now, behind, turn, parallel, places, lookAheadMs }) => ({
    now,
    lookAheadMs,
    schedule: {
      ...grid,
      nextAt: slotAfter(grid, now - behind * grid.periodMs),
      turn,
      parallel,
      locations: Array.from({ length: places }, (_, i) => ({ id: `id-${i}`, name: `name-${i}` })),
    },
  }))

t.test(
  'every slot up to the horizon is a job or a missed run, once, in the location whose turn it is',
  async (t) => {
    let slotsSeen = 0
    fc.assert(
      fc.property(schedule, ({ schedule, now, lookAheadMs }) => {
        const plan = planSlots(schedule, now, lookAheadMs)
        const got = [
          ...plan.jobs.map(({ dueAt, location }) => `${dueAt} ${location.id}`),
          ...plan.missed.flatMap(({ location, firstDueAt, stepMs, count, lastDueAt }) => {
            if (lastDueAt !== firstDueAt + (count - 1) * stepMs) throw new Error('range ends elsewhere')
            return Array.from({ length: count }, (_, i) => `${firstDueAt + i * stepMs} ${location.id}`)
          }),
        ].sort()
        const wanted: string[] = []
        let turn = schedule.turn
        for (let due = schedule.nextAt; due < plan.nextAt; due += schedule.periodMs, turn++)
          for (const [position, location] of schedule.locations.entries())
            if (schedule.parallel || position === turn % schedule.locations.length)
              wanted.push(`${due} ${location.id}`)
        slotsSeen += wanted.length
        return (
          JSON.stringify(got) === JSON.stringify(wanted.sort()) &&
          plan.turn === turn &&
          plan.nextAt >
            now + lookAheadMs - (schedule.nextAt > now + lookAheadMs ? Number.POSITIVE_INFINITY : 0)
        )
      }),
      { numRuns: 2000 },
    )
    t.ok(slotsSeen > 1000, `${slotsSeen} slots were compared`)
  },
)

t.test(
  'a job is planned only while it may still wait, and a missed slot never is one that may',
  async (t) => {
    fc.assert(
      fc.property(schedule, ({ schedule, now, lookAheadMs }) => {
        const plan = planSlots(schedule, now, lookAheadMs)
        return (
          plan.jobs.every(({ expiresAt, dueAt }) => expiresAt > now && expiresAt > dueAt) &&
          plan.missed.every(({ lastDueAt }) => lastDueAt <= now)
        )
      }),
    )
    t.pass('no counterexample')
  },
)

t.test(
  'after a day without a control plane the records are few, and the latest run still happens',
  async (t) => {
    const day = 86_400_000
    const plan = planSlots(
      {
        periodMs: 10_000,
        phaseMs: 3,
        nextAt: slotAfter({ periodMs: 10_000, phaseMs: 3 }, 1_700_000_000_000),
        turn: 0,
        parallel: true,
        locations: [{ id: 'a', name: 'a' }],
      },
      1_700_000_000_000 + day,
      0,
    )
    t.match(plan.missed, [{ count: 8639 }])
    t.equal(plan.missed.length, 1)
    t.equal(plan.jobs.length, 1)
  },
)
