/**
 * Instants at the edge of the API. Inside they are epoch milliseconds; answers show them as ISO 8601 in UTC, bodies and
 * query parameters take what is said here, bounded so that every answer can show them with four digits of year.
 */
import { Type } from 'typebox'
import { invalid, violation } from '../errors.ts'
import { nullable } from './nullable.ts'

const lastInstant = Date.UTC(2999, 11, 31, 23, 59, 59, 999)
const dayMs = 86_400_000
const maxDates = 5000

const dates = new Map<number, string>()

const dateOf = (day: number): string => {
  const known = dates.get(day)
  if (known !== undefined) return known
  if (dates.size >= maxDates) dates.clear()
  const date = new Date(day * dayMs).toISOString().slice(0, 'yyyy-mm-ddT'.length)
  dates.set(day, date)
  return date
}

const digits = (count: number, length: number, then: string): string[] =>
  Array.from({ length: count }, (_, n) => `${String(n).padStart(length, '0')}${then}`)

const hours = digits(24, 2, ':')
const minutes = hours.flatMap((hour) => digits(60, 2, ':').map((minute) => `${hour}${minute}`))
const seconds = digits(60, 2, '.')
const milliseconds = digits(1000, 3, 'Z')

/**
 * Epoch milliseconds as the API writes them: ISO 8601 in UTC, to the millisecond. Put together of parts that are known: a third of what
 * `Date` takes, and a long list has tens of thousands.
 */
export const toIso = (epochMs: number): string => {
  if (!Number.isInteger(epochMs) || epochMs < 0 || epochMs > lastInstant)
    return new Date(epochMs).toISOString()
  const day = Math.floor(epochMs / dayMs)
  const ofDay = epochMs - day * dayMs
  const second = Math.floor(ofDay / 1000)
  const minute = Math.floor(second / 60)
  return `${dateOf(day)}${minutes[minute]}${seconds[second - minute * 60]}${milliseconds[ofDay - second * 1000]}`
}

export const toIsoOrNull = (epochMs: number | null): string | null =>
  epochMs === null ? null : toIso(epochMs)

export const DateTime = Type.String({ format: 'date-time' })
export const DateTimeOrNull = nullable(DateTime)

/** A calendar date or a date-time with its offset. */
export const DateOrDateTime = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}([Tt ]\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?([Zz]|[+-]\\d{2}:\\d{2}))?$',
  description: 'ISO 8601 date-time, or a date',
  examples: ['2026-01-01T00:00:00.000Z'],
})

/** Epoch milliseconds; null for a moment that does not exist or lies outside of 1970 to 2999. */
export const readInstant = (text: string): number | null => {
  const instant = Date.parse(text)
  return Number.isNaN(instant) || instant < 0 || instant > lastInstant || !hasRealDate(text) ? null : instant
}

export const isDateOnly = (text: string): boolean => text.length === 10

/** `Date.parse` takes the 31st of February for the 3rd of March. */
const hasRealDate = (text: string): boolean => {
  const date = text.slice(0, 10)
  const midnight = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date)
}

/** A query parameter that names an instant: a UNIX timestamp in seconds or an ISO 8601 date or date-time (UTC). */
export const InstantParameter = Type.String({
  pattern:
    '^(\\d{1,11}|\\d{4}-\\d{2}-\\d{2}([Tt ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?([Zz]|[+-]\\d{2}:\\d{2})?)?)$',
  description: 'UNIX timestamp in seconds, or an ISO 8601 date or date-time',
  examples: ['2026-01-01'],
})

/** Epoch milliseconds. @throws ApiError 400 for a date that does not exist */
export const parseInstant = (name: string, text: string): number => {
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const hasZone = /(z|[+-]\d{2}:\d{2})$/i.test(text)
  const instant = Date.parse(text.includes(':') && !hasZone ? `${text}Z` : text)
  if (Number.isNaN(instant)) throw invalid([violation(name, 'instant', 'is not a date')])
  return instant
}
