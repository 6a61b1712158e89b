import { Type } from 'typebox'
import { invalid, violation } from '../http/errors.ts'

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
