const unitMs = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
} as const

/** ECMA-262: the last instant that a Date can hold. */
const maxInstant = 8.64e15

const numbers: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  next: 1,
  last: 1,
  previous: 1,
}

const days: Record<string, number> = { now: 0, today: 0, yesterday: -1, tomorrow: 1 }

const span = /^(?:in )?(\d{1,9}|[a-z]{1,8}) (second|minute|hour|day|week|month|year)s?( ago| from now)?$/

/**
 * A time in words ("2 days ago", "in 3 hours", "last week", "tomorrow"), as ISO 8601 or as unix seconds or milliseconds,
 * as epoch milliseconds; null when it is none. Months and years are those of the calendar, in UTC.
 */
export const instantOf = (text: string, now: number): number | null => {
  const when = text.trim().toLowerCase().replace(/\s+/g, ' ')
  if (Object.hasOwn(days, when)) return now + (days[when] as number) * unitMs.day
  if (/^\d{9,10}$/.test(when)) return Number(when) * 1000
  if (/^\d{12,13}$/.test(when)) return Number(when)
  if (/^\d{4}-\d{2}/.test(when)) return valid(Date.parse(text.trim()))
  const words = span.exec(when)
  if (words === null) return null
  const [, amount = '', unit = '', direction] = words
  const count = /^\d/.test(amount) ? Number(amount) : numbers[amount]
  if (count === undefined) return null
  const back = direction === ' ago' || amount === 'last' || amount === 'previous'
  return shift(now, back ? -count : count, unit)
}

const shift = (now: number, count: number, unit: string): number | null => {
  if (unit in unitMs) return valid(now + count * unitMs[unit as keyof typeof unitMs])
  const date = new Date(now)
  const day = date.getUTCDate()
  const months = date.getUTCMonth() + (unit === 'year' ? count * 12 : count)
  date.setUTCMonth(months, 1)
  // The 31st of a shorter month is its last day.
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return valid(date.setUTCDate(Math.min(day, last)))
}

const valid = (instant: number): number | null => (Math.abs(instant) <= maxInstant ? instant : null)
