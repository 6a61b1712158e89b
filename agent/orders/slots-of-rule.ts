/** The due times that an order names, and which of them are worth a run that begins now. Pure. */
import type { SlotRule } from '../../protocol/standing-order.ts'

/** A run waits so long for its agent at most, and never beyond the next slot of its check: as the control plane has it. */
const maxWaitMs = 6 * 60_000

/** The first due time of the agent's location strictly after `time`. */
export const slotAfter = (rule: SlotRule, time: number): number => {
  const stride = strideOf(rule)
  let slot = firstOfTurn(rule, Math.max(time, rule.from))
  // In order and not overlapping, or not: each look leaves one of them behind.
  for (let pause = pauseAt(rule, slot); pause !== undefined; pause = pauseAt(rule, slot))
    slot += Math.ceil((pause.to - slot) / stride) * stride
  return slot
}

/**
 * The due time from `since` on that is next to be run at `now`: the latest that has come and may still wait, else the first that has not.
 * Those that were overtaken are left out.
 */
export const slotToRun = (rule: SlotRule, { since, now }: { since: number; now: number }): number => {
  const latest = now - modulo(now - firstOfTurn(rule, now), strideOf(rule))
  // `latest` may be before `since`, and what may still wait is at most a period old.
  const slot = slotAfter(rule, Math.max(since, latest) - 1)
  return isTooLate(rule, slot, now) ? slotAfter(rule, Math.max(since - 1, now)) : slot
}

/** A second owner begins that much after the due time, and a little more. */
const lateMs = 20_000

/** Whether a slot is due within `aheadMs`, or was due so lately that it may be run still. */
export const isDueSoon = (rule: SlotRule, now: number, aheadMs: number): boolean =>
  slotAfter(rule, now - lateMs) <= now + aheadMs

export const isTooLate = ({ periodMs }: SlotRule, slot: number, now: number): boolean =>
  slot + Math.min(periodMs, maxWaitMs) <= now

const strideOf = ({ periodMs, parallel, locations }: SlotRule): number =>
  parallel ? periodMs : periodMs * locations

const firstOfTurn = (rule: SlotRule, time: number): number => {
  const { periodMs, phaseMs, parallel, locations, position, turn, turnAt } = rule
  const slot = time - modulo(time - phaseMs, periodMs) + periodMs
  if (parallel) return slot
  const inTurn = modulo(turn + (slot - turnAt) / periodMs, locations)
  return slot + modulo(position - inTurn, locations) * periodMs
}

const pauseAt = ({ pauses }: SlotRule, slot: number): SlotRule['pauses'][number] | undefined =>
  pauses.find(({ from, to }) => from <= slot && slot < to)

const modulo = (value: number, modulus: number): number => ((value % modulus) + modulus) % modulus
