/**
 * When a maintenance window happens: from its first start, length, repetition and time zone to its occurrences. Pure.
 *
 * Words: occurrence `n` (from 0) has a *date*, the calendar date in the window's zone that the repetition gives it; that
 * date names it for ever, even when somebody moves the occurrence. Occurrences start at the same local time on their
 * date and last equally long. Invariants: occurrence 0 starts at `startsAt`; starts never go back as `n` grows; dates
 * grow strictly.
 *
 * Local times that a change of the clocks skips move forward by what was skipped; of two equal local times the first is
 * meant (Temporal's "compatible", RFC 5545 section 3.3.5). Monthly repetitions on a day that a month lacks take its last.
 */
import { Temporal } from 'temporal-polyfill'

export type RepeatUnit = 'DAY' | 'WEEK' | 'MONTH'

/** Instants in epoch milliseconds. */
export type Recurrence = {
  startsAt: number
  endsAt: number
  /** IANA name. */
  timezone: string
  /** Null: happens once. */
  repeatUnit: RepeatUnit | null
  /** Every so many units; null is 1. */
  repeatInterval: number | null
  /** `YYYY-MM-DD`: the last calendar date in the zone that may have an occurrence; null for no end. */
  repeatEndsAt: string | null
}

export type Occurrence = { index: number; date: string; startsAt: number; endsAt: number }

/** Occurrence `index`, if the window has so many. */
export const occurrenceAt = (recurrence: Recurrence, index: number): Occurrence | undefined => {
  if (index < 0 || index > lastIndex(recurrence)) return undefined
  return nth(recurrence, index)
}

const nth = (recurrence: Recurrence, index: number): Occurrence => {
  const local = firstLocal(recurrence)
  const at = index === 0 ? local : local.add(step(recurrence, index))
  const startsAt =
    index === 0
      ? recurrence.startsAt
      : at.toZonedDateTime(recurrence.timezone, { disambiguation: 'compatible' }).epochMilliseconds
  const endsAt = startsAt + recurrence.endsAt - recurrence.startsAt
  return { index, date: at.toPlainDate().toString(), startsAt, endsAt }
}

/** The occurrence of a date (`YYYY-MM-DD`), if there is one. */
export const occurrenceOn = (recurrence: Recurrence, date: string): Occurrence | undefined => {
  const occurrence = occurrenceAt(recurrence, indexBy(recurrence, Temporal.PlainDate.from(date)))
  return occurrence?.date === date ? occurrence : undefined
}

/** The index of the last occurrence that has started by `time`; -1 if none has. */
export const lastStartedBy = (recurrence: Recurrence, time: number): number => {
  if (time < recurrence.startsAt) return -1
  if (recurrence.repeatUnit === null) return 0
  // A change of the clocks can move a start over midnight: one date later than the local one is worth a look.
  const date = localAt(time, recurrence.timezone).toPlainDate()
  let index = Math.min(indexBy(recurrence, date) + 1, lastIndex(recurrence))
  while (index > 0 && nth(recurrence, index).startsAt > time) index -= 1
  return index
}

/** What overlaps the time from `from` up to, not including, `to`; oldest first. */
export const occurrencesBetween = (recurrence: Recurrence, from: number, to: number): Occurrence[] => {
  const found: Occurrence[] = []
  for (let index = lastStartedBy(recurrence, to - 1); index >= 0; index--) {
    const occurrence = nth(recurrence, index)
    if (occurrence.endsAt <= from) break
    found.unshift(occurrence)
  }
  return found
}

/** The index of the last occurrence; infinite when nothing ends the repetition. */
export const lastIndex = (recurrence: Recurrence): number => {
  if (recurrence.repeatUnit === null) return 0
  if (recurrence.repeatEndsAt === null) return Number.POSITIVE_INFINITY
  // The first occurrence always happens.
  return Math.max(0, indexBy(recurrence, Temporal.PlainDate.from(recurrence.repeatEndsAt)))
}

/** The local calendar date of an instant, `YYYY-MM-DD`. */
export const localDate = (time: number, timezone: string): string =>
  localAt(time, timezone).toPlainDate().toString()

/** The instant at which a calendar date begins in a zone (not always at midnight). */
export const startOfDate = (date: string, timezone: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime(timezone).epochMilliseconds

/** The zone's IANA name in its usual spelling; null when there is no such zone. Offsets (`+01:00`) are no names. */
export const timeZoneName = (text: string): string | null => {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text)) return null
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const localAt = (time: number, timezone: string): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timezone).toPlainDateTime()

const firstLocal = ({ startsAt, timezone }: Recurrence): Temporal.PlainDateTime => localAt(startsAt, timezone)

/** Always counted from the first: the 31st comes back after a short month. */
const step = ({ repeatUnit, repeatInterval }: Recurrence, index: number): Temporal.DurationLike => {
  const count = index * (repeatInterval ?? 1)
  if (repeatUnit === 'DAY') return { days: count }
  return repeatUnit === 'WEEK' ? { weeks: count } : { months: count }
}

/** The index of the last occurrence whose date is not after `date`, were the repetition endless; negative before the first. */
const indexBy = (recurrence: Recurrence, date: Temporal.PlainDate): number => {
  const first = firstLocal(recurrence).toPlainDate()
  const every = recurrence.repeatInterval ?? 1
  if (recurrence.repeatUnit === null) return Temporal.PlainDate.compare(first, date) <= 0 ? 0 : -1
  if (recurrence.repeatUnit !== 'MONTH') {
    const { days } = first.until(date, { largestUnit: 'days' })
    return Math.floor(days / (recurrence.repeatUnit === 'WEEK' ? 7 * every : every))
  }
  const months = (date.year - first.year) * 12 + date.month - first.month
  const index = Math.floor(months / every)
  const thatMonth = first.add({ months: index * every })
  return Temporal.PlainDate.compare(thatMonth, date) <= 0 ? index : index - 1
}
