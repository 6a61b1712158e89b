/** The time that an analytics request asks about: `from` (inclusive) to `to` (exclusive), epoch milliseconds. */

import { Type } from 'typebox'
import { invalid, violation } from '../../platform/words/errors.ts'
import { InstantParameter, parseInstant } from '../../platform/words/shapes/instants.ts'
import { type Calendar, calendarOf } from './calendar.ts'

export type Window = { from: number; to: number }

export const isEmpty = ({ from, to }: Window): boolean => from >= to

export const quickRanges = [
  'last24Hours',
  'last7Days',
  'last30Days',
  'thisWeek',
  'thisMonth',
  'lastWeek',
  'lastMonth',
] as const
type QuickRange = (typeof quickRanges)[number]

export const windowParameters = {
  from: Type.Optional(InstantParameter),
  to: Type.Optional(InstantParameter),
}

const dayMs = 86_400_000
/** Longer than results are kept as rollups in detail, and than any quick range. */
const maxWindowDays = 400

/** Weeks begin on Monday; days, weeks and months are those of the calendar's time zone. */
export const quickWindow = (
  range: QuickRange,
  now: number,
  calendar: Calendar = calendarOf('UTC'),
): Window => {
  const week = calendar.startOf('week', now)
  const month = calendar.startOf('month', now)
  const windows: Record<QuickRange, Window> = {
    last24Hours: { from: now - dayMs, to: now },
    last7Days: { from: now - 7 * dayMs, to: now },
    last30Days: { from: now - 30 * dayMs, to: now },
    thisWeek: { from: week, to: now },
    thisMonth: { from: month, to: now },
    lastWeek: { from: calendar.move('week', week, -1), to: week },
    lastMonth: { from: calendar.move('month', month, -1), to: month },
  }
  return windows[range]
}

type WindowParameters = { from?: string; to?: string }

/**
 * `from` and `to` override the quick range: `to` alone asks for the 24 hours before it, `from` alone for all until now.
 * @throws ApiError 400
 */
export const windowOf = ({ from, to }: WindowParameters, quick: Window, now: number): Window => {
  if (from === undefined && to === undefined) return quick
  const end = to === undefined ? now : parseInstant('to', to)
  const start = from === undefined ? end - dayMs : parseInstant('from', from)
  if (start >= end) throw invalid([violation('from', 'window', 'must be before "to"')])
  if (end - start > maxWindowDays * dayMs)
    throw invalid([violation('from', 'window', `must be at most ${maxWindowDays} days before "to"`)])
  return { from: start, to: end }
}
