/**
 * Instants at the edge of the API. Inside they are epoch milliseconds; answers show them as ISO 8601 in UTC, bodies and
 * query parameters take what is said here, bounded so that every answer can show them with four digits of year.
 */
import { Type } from 'typebox'
import { invalid, violation } from '../errors.ts'
import { nullable } from './nullable.ts'

/** Epoch milliseconds as the API writes them: ISO 8601 in UTC, to the millisecond. */
export const toIso = (epochMs: number): string => new Date(epochMs).toISOString()

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

const lastInstant = Date.UTC(2999, 11, 31, 23, 59, 59, 999)

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
