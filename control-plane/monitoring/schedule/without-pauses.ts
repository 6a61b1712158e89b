/**
 * Maintenance takes slots out of a plan: while a check is paused nothing is due, so there is neither a job nor a missed
 * run. The schedule moves on as if they had been handed out. Pure.
 */
import type { MissedRange, SlotPlan } from './plan-slots.ts'

/** Epoch milliseconds, `from` inclusive and `to` exclusive; in order, not overlapping. */
export type Pause = { from: number; to: number }

export const withoutPauses = (plan: SlotPlan, pauses: readonly Pause[]): SlotPlan => {
  if (pauses.length === 0) return plan
  return {
    ...plan,
    jobs: plan.jobs.filter(({ dueAt }) => !pauses.some(({ from, to }) => dueAt >= from && dueAt < to)),
    missed: plan.missed.flatMap((range) => outside(range, pauses)),
  }
}

/** What is left of a range: a range before, between and after the pauses. */
const outside = (range: MissedRange, pauses: readonly Pause[]): MissedRange[] => {
  const left: MissedRange[] = []
  let next = range.firstDueAt
  for (const { from, to } of pauses) {
    if (from > next) left.push(...part(range, next, from))
    next = Math.max(next, firstAtOrAfter(range, to))
  }
  return [...left, ...part(range, next, range.lastDueAt + 1)]
}

/** The due times of the range from `from` (one of them) to before `to`. */
const part = (range: MissedRange, from: number, to: number): MissedRange[] => {
  const end = Math.min(to, range.lastDueAt + 1)
  if (from >= end) return []
  const count = Math.ceil((end - from) / range.stepMs)
  return [{ ...range, firstDueAt: from, lastDueAt: from + (count - 1) * range.stepMs, count }]
}

const firstAtOrAfter = ({ firstDueAt, stepMs }: MissedRange, time: number): number =>
  time <= firstDueAt ? firstDueAt : firstDueAt + Math.ceil((time - firstDueAt) / stepMs) * stepMs
