import t from 'tap'
import { isDueSoon, isTooLate, slotAfter, slotToRun } from '../../../agent/orders/slots-of-rule.ts'
import { planSlots, type Schedule } from '../../../control-plane/monitoring/schedule/plan-slots.ts'
import { slotAfter as gridAfter } from '../../../control-plane/monitoring/schedule/slots.ts'
import { withoutPauses } from '../../../control-plane/monitoring/schedule/without-pauses.ts'
import type { SlotRule } from '../../../protocol/standing-order.ts'
import { fc } from '../../support/fast-check.ts'

const start = 1_700_000_000_000

const pauseArbitrary = fc
  .record({ from: fc.integer({ min: 0, max: 3_000_000 }), length: fc.integer({ min: 1, max: 900_000 }) })
  .map(({ from, length }) => ({ from: start + from, to: start + from + length }))

const plan = fc
  .record({
    periodMs: fc.constantFrom(10_000, 30_000, 60_000, 300_000, 3_600_000),
    phase: fc.double({ min: 0, max: 0.999, noNaN: true }),
    from: fc.integer({ min: start, max: start + 600_000 }),
    parallel: fc.boolean(),
    locations: fc.integer({ min: 1, max: 5 }),
    place: fc.nat({ max: 4 }),
    turn: fc.nat({ max: 1000 }),
    pauses: fc.array(pauseArbitrary, { maxLength: 3 }),
  })
  .map(({ phase, place, ...rest }) => ({
    ...rest,
    phaseMs: Math.floor(phase * rest.periodMs),
    position: place % rest.locations,
  }))

type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never

/** What the control plane says of a schedule whose next slot is the first after `from`. */
const ruleOf = ({ from, ...one }: Plan): SlotRule => {
  const turnAt = gridAfter(one, from)
  return { ...one, from, turnAt }
}

/** What the control plane plans by the same schedule, in the location of the rule. */
const planned = (rule: SlotRule, until: number): number[] => {
  const { periodMs, phaseMs, parallel, turn, turnAt } = rule
  const locations = Array.from({ length: rule.locations }, (_, index) => ({ id: `${index}`, name: 'n' }))
  const schedule: Schedule = { periodMs, phaseMs, parallel, turn, nextAt: turnAt, locations }
  const whole = planSlots(schedule, turnAt, until - turnAt)
  const { jobs } = withoutPauses(
    whole,
    rule.pauses.toSorted((a, b) => a.from - b.from),
  )
  return jobs.filter(({ location }) => location.id === `${rule.position}`).map(({ dueAt }) => dueAt)
}

const walked = (rule: SlotRule, until: number): number[] => {
  const slots: number[] = []
  for (let slot = slotAfter(rule, 0); slot <= until; slot = slotAfter(rule, slot)) slots.push(slot)
  return slots
}

t.test('the slots of a rule are those that the control plane plans', async (t) => {
  fc.assert(
    fc.property(plan, (one) => {
      const rule = ruleOf(one)
      const until = start + 4_000_000
      t.strictSame(walked(rule, until), until < rule.turnAt ? [] : planned(rule, until))
    }),
  )
})

t.test('of the slots that have come only the latest is run, if it may still wait', async (t) => {
  fc.assert(
    fc.property(plan, fc.nat({ max: 4_000_000 }), fc.nat({ max: 600_000 }), (one, at, ago) => {
      const rule = ruleOf(one)
      const now = start + at
      const since = now - ago
      const slot = slotToRun(rule, { since, now })
      const all = walked(rule, Math.max(slot, now))
      const waiting = all.filter((due) => due >= since && due <= now && !isTooLate(rule, due, now))
      t.equal(slot, waiting.at(-1) ?? all.find((due) => due > now && due >= since))
    }),
  )
})

t.test('a slot is due soon from then ahead of it until a second owner has had it', async (t) => {
  fc.assert(
    fc.property(plan, fc.nat({ max: 4_000_000 }), (one, at) => {
      const rule = ruleOf(one)
      const now = start + at
      const slots = walked(rule, now + 4_000_000)
      t.equal(
        isDueSoon(rule, now, 30_000),
        slots.some((due) => due > now - 20_000 && due <= now + 30_000),
      )
    }),
  )
})
