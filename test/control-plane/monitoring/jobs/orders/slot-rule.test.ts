import t from 'tap'
import { slotRuleOf } from '../../../../../control-plane/monitoring/jobs/orders/slot-rule.ts'
import { planSlots } from '../../../../../control-plane/monitoring/schedule/plan-slots.ts'
import { runLocations } from '../../../../../control-plane/monitoring/schedule/schedule-queries.ts'
import { slotAfter } from '../../../../../control-plane/monitoring/schedule/slots.ts'
import type { SlotRule } from '../../../../../protocol/standing-order.ts'
import { fc } from '../../../../support/fast-check.ts'

const lookAheadMs = 10_000

/** As the protocol says it. */
const isDue = (rule: SlotRule, time: number): boolean => {
  if (time <= rule.from || (time - rule.phaseMs) % rule.periodMs !== 0) return false
  const turn = rule.turn + (time - rule.turnAt) / rule.periodMs
  const isTurn = ((turn % rule.locations) + rule.locations) % rule.locations === rule.position
  return (rule.parallel || isTurn) && !rule.pauses.some(({ from, to }) => time >= from && time < to)
}

const schedules = fc.record({
  periodMs: fc.constantFrom(1000, 10_000, 60_000, 300_000),
  phase: fc.nat(300_000),
  startsAt: fc.integer({ min: 1_700_000_000_000, max: 1_700_000_900_000 }),
  turn: fc.nat(5),
  parallel: fc.boolean(),
  size: fc.integer({ min: 1, max: 4 }),
  /** From one look of the planner to the next; some are outages. */
  steps: fc.array(fc.oneof(fc.nat(2000), fc.nat(1_500_000)), { minLength: 1, maxLength: 12 }),
})

t.test('the due times by the rule are those that are planned, wherever the schedule stands', async (t) => {
  fc.assert(
    fc.property(schedules, ({ periodMs, phase, startsAt, turn, parallel, size, steps }) => {
      const locations = Array.from({ length: size }, (_, n) => ({ id: `l${n}`, name: `l${n}` }))
      const phaseMs = phase % periodMs
      const fromAt = slotAfter({ periodMs, phaseMs }, startsAt)
      const schedule = { periodMs, phaseMs, nextAt: fromAt, turn, parallel, locations }
      const rules = () =>
        locations.map(({ id }) =>
          slotRuleOf(
            {
              period_ms: periodMs,
              phase_ms: phaseMs,
              next_at: schedule.nextAt,
              turn: schedule.turn,
              parallel,
              locations: runLocations.write(locations),
              from_at: fromAt,
            },
            id,
            [],
          ),
        )
      const first = rules()
      const planned = new Set<string>()
      let now = startsAt
      for (const step of steps) {
        now += step
        const plan = planSlots(schedule, now, lookAheadMs)
        for (const { location, dueAt } of plan.jobs) planned.add(`${location.id} ${dueAt}`)
        for (const { location, firstDueAt, stepMs, count } of plan.missed)
          for (let n = 0; n < count; n++) planned.add(`${location.id} ${firstDueAt + n * stepMs}`)
        schedule.nextAt = plan.nextAt
        schedule.turn = plan.turn
      }
      const byRule = new Set<string>()
      for (let time = fromAt - 3 * periodMs; time < schedule.nextAt; time += periodMs)
        for (const [n, rule] of first.entries()) if (rule && isDue(rule, time)) byRule.add(`l${n} ${time}`)
      t.strictSame([...byRule].sort(), [...planned].sort())
      t.strictSame(rules(), first, 'and the rule stays the same')
      return true
    }),
    { numRuns: 60 },
  )
})

t.test('no rule for a location that the check does not have', async (t) => {
  const schedule = {
    period_ms: 1000,
    phase_ms: 0,
    next_at: 5000,
    from_at: 1000,
    turn: 4,
    parallel: false,
    locations: runLocations.write([{ id: 'a', name: 'a' }]),
  }
  t.equal(slotRuleOf(schedule, 'b', []), null)
  t.match(slotRuleOf(schedule, 'a', [{ from: 1, to: 2 }]), { pauses: [{ from: 1, to: 2 }], from: 999 })
})
