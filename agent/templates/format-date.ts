const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

const dayMs = 86_400_000
const pad = (value: number, width = 2): string => String(value).padStart(width, '0')
const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12
const dayOfYear = (date: Date): number =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs) + 1

const ordinal = (value: number): string => {
  const teen = value % 100 >= 11 && value % 100 <= 13
  return `${value}${teen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')}`
}

/** The Thursday of its week decides to which year an ISO 8601 week belongs. */
const thursday = (date: Date): Date => {
  const weekday = date.getUTCDay() || 7
  return new Date(date.getTime() + (4 - weekday) * dayMs)
}
const isoWeek = (date: Date): number => Math.ceil(dayOfYear(thursday(date)) / 7)

/** Format letters of Moment.js, in UTC and English. */
const tokens: Record<string, (date: Date) => string> = {
  YYYY: (date) => pad(date.getUTCFullYear(), 4),
  YY: (date) => pad(date.getUTCFullYear() % 100),
  Q: (date) => String(Math.floor(date.getUTCMonth() / 3) + 1),
  MMMM: (date) => monthNames[date.getUTCMonth()] as string,
  MMM: (date) => (monthNames[date.getUTCMonth()] as string).slice(0, 3),
  MM: (date) => pad(date.getUTCMonth() + 1),
  Mo: (date) => ordinal(date.getUTCMonth() + 1),
  M: (date) => String(date.getUTCMonth() + 1),
  DDDD: (date) => pad(dayOfYear(date), 3),
  DDD: (date) => String(dayOfYear(date)),
  DD: (date) => pad(date.getUTCDate()),
  Do: (date) => ordinal(date.getUTCDate()),
  D: (date) => String(date.getUTCDate()),
  dddd: (date) => dayNames[date.getUTCDay()] as string,
  ddd: (date) => (dayNames[date.getUTCDay()] as string).slice(0, 3),
  dd: (date) => (dayNames[date.getUTCDay()] as string).slice(0, 2),
  d: (date) => String(date.getUTCDay()),
  E: (date) => String(date.getUTCDay() || 7),
  GGGG: (date) => pad(thursday(date).getUTCFullYear(), 4),
  WW: (date) => pad(isoWeek(date)),
  W: (date) => String(isoWeek(date)),
  HH: (date) => pad(date.getUTCHours()),
  H: (date) => String(date.getUTCHours()),
  hh: (date) => pad(hour12(date)),
  h: (date) => String(hour12(date)),
  kk: (date) => pad(date.getUTCHours() || 24),
  k: (date) => String(date.getUTCHours() || 24),
  mm: (date) => pad(date.getUTCMinutes()),
  m: (date) => String(date.getUTCMinutes()),
  ss: (date) => pad(date.getUTCSeconds()),
  s: (date) => String(date.getUTCSeconds()),
  SSS: (date) => pad(date.getUTCMilliseconds(), 3),
  SS: (date) => pad(Math.floor(date.getUTCMilliseconds() / 10)),
  S: (date) => String(Math.floor(date.getUTCMilliseconds() / 100)),
  A: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  a: (date) => (date.getUTCHours() < 12 ? 'am' : 'pm'),
  ZZ: () => '+0000',
  Z: () => '+00:00',
  X: (date) => String(Math.floor(date.getTime() / 1000)),
  x: (date) => String(date.getTime()),
}

const longestFirst = Object.keys(tokens).toSorted((a, b) => b.length - a.length)
const pieces = new RegExp(`\\[([^\\]]*)\\]|${longestFirst.join('|')}`, 'g')

/** The instant (epoch milliseconds) in UTC; what stands in `[brackets]` is kept, and so is what is no format letter. */
export const formatDate = (instant: number, format: string): string => {
  const date = new Date(instant)
  return format.replace(
    pieces,
    (token, literal: string | undefined) => literal ?? tokens[token]?.(date) ?? token,
  )
}
