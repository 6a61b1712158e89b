import { readDate, validInstant } from './read-date.ts'

const unitMs: Readonly<Record<string, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
}
const unitMonths: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 }

const amounts: Readonly<Record<string, number>> = {
  ...{
    a: 1,
    an: 1,
    one: 1,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    eight: 8,
    nine: 9,
    ten: 10,
  },
  ...{ next: 1, last: -1, previous: -1 },
}

const days: Readonly<Record<string, number>> = { '': 0, now: 0, today: 0, yesterday: -1, tomorrow: 1 }

const span =
  /^(?:in )?(\d{1,9}|[a-z]{1,8}) (second|minute|hour|day|week|month|quarter|year)s?( ago| from now)?$/

/**
 * A time in words ("2 days ago", "in 3 hours", "last week", "tomorrow"), as unix seconds or milliseconds, or a date
 * (`readDate`), as epoch milliseconds; null when it is none. Months and years are those of the calendar. In UTC. Pure.
 */
export const instantOf = (text: string, now: number): number | null => {
  const when = text.trim().toLowerCase().replace(/\s+/g, ' ')
  if (Object.hasOwn(days, when)) return now + (days[when] ?? 0) * (unitMs['day'] ?? 0)
  if (/^\d{9,10}$/.test(when)) return Number(when) * 1000
  if (/^\d{11,14}$/.test(when)) return Number(when)
  const words = span.exec(when)
  return words === null ? readDate(text) : afterSpan(now, words)
}

const afterSpan = (now: number, [, amount = '', unit = '', direction]: RegExpExecArray): number | null => {
  const count = /^\d/.test(amount) ? Number(amount) : amounts[amount]
  if (count === undefined) return null
  const signed = direction === ' ago' ? -Math.abs(count) : count
  const ms = unitMs[unit]
  return ms === undefined
    ? monthsLater(now, signed * (unitMonths[unit] ?? 0))
    : validInstant(now + signed * ms)
}

const monthsLater = (now: number, months: number): number | null => {
  const date = new Date(now)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months, 1)
  // The 31st of a shorter month is its last day.
  const last = new Date(date)
  last.setUTCMonth(last.getUTCMonth() + 1, 0)
  return validInstant(date.setUTCDate(Math.min(day, last.getUTCDate())))
}
