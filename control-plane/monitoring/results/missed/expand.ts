/**
 * Stored missed runs are ranges: `count` due times, `period_ms` apart. A list shows one record per due time, latest
 * first. Pure.
 */

import type { MissedRunsTable } from '../../../platform/store/database/tables/runs.ts'
import { toIso } from '../../../platform/words/shapes/instants.ts'
import type { MissedRun } from './schema.ts'

/** A place in the list: a due time and, among equals, the id of the range. */
export type DueTimeCursor = [dueAt: number, rangeId: string]

export type Bounds = { from?: number | undefined; to?: number | undefined; after?: DueTimeCursor | undefined }

export type DueTime = { dueAt: number; range: MissedRunsTable }

/** The latest `limit` due times of the ranges within the bounds (`from` inclusive, `to` exclusive). */
export const latestDueTimes = (ranges: MissedRunsTable[], bounds: Bounds, limit: number): DueTime[] => {
  const heads = headsOf(ranges, bounds)
  const dues: DueTime[] = []
  while (dues.length < limit) {
    const latest = heads.reduce<DueTime | null>(
      (best, head) => (best && !isLater(head, best) ? best : head),
      null,
    )
    if (latest === null) return dues
    dues.push({ ...latest })
    latest.dueAt -= Math.max(1, latest.range.period_ms)
    if (latest.dueAt < Math.max(latest.range.first_due_at, bounds.from ?? 0))
      heads.splice(heads.indexOf(latest), 1)
  }
  return dues
}

/** The latest due time of each range within the bounds; those without one are left out. */
export const headsOf = (ranges: readonly MissedRunsTable[], bounds: Bounds): DueTime[] =>
  ranges.flatMap((range) => {
    const dueAt = latestWithin(range, bounds)
    return dueAt === null ? [] : [{ dueAt, range }]
  })

export const latestFirst = (a: DueTime, b: DueTime): number => (isLater(a, b) ? -1 : 1)

const isLater = (a: DueTime, b: DueTime): boolean =>
  a.dueAt !== b.dueAt ? a.dueAt > b.dueAt : a.range.id > b.range.id

const latestWithin = (range: MissedRunsTable, { from = 0, to, after }: Bounds): number | null => {
  const { first_due_at: first, last_due_at: last, period_ms: period, id } = range
  const limits = [last, ...(to === undefined ? [] : [to - 1])]
  if (after !== undefined) limits.push(id < after[1] ? after[0] : after[0] - 1)
  const limit = Math.min(...limits)
  if (limit < first) return null
  const dueAt = limit >= last ? last : first + Math.floor((limit - first) / period) * period
  return dueAt >= from ? dueAt : null
}

export const serializeMissedRun = ({ dueAt, range }: DueTime): MissedRun => ({
  id: `${range.id}.${dueAt}`,
  checkId: range.check_id,
  runLocation: range.location,
  dueAt: toIso(dueAt),
  reason: range.reason as MissedRun['reason'],
  detail: range.detail,
  created_at: toIso(range.created_at),
})
