/** What each format token of Moment.js stands for, in UTC and English (momentjs.com/docs, Display, Format). Pure. */
import { dayOfYear, englishWeek, isoWeek } from './weeks.ts'

const monthNames =
  'January February March April May June July August September October November December'.split(' ')
const dayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

const monthName = (date: Date): string => monthNames[date.getUTCMonth()] ?? ''
const dayName = (date: Date): string => dayNames[date.getUTCDay()] ?? ''
const quarter = (date: Date): number => Math.floor(date.getUTCMonth() / 3) + 1

const padded = (value: number, width: number): string =>
  `${value < 0 ? '-' : ''}${String(Math.abs(value)).padStart(width, '0')}`

const ordinal = (value: number): string => {
  const isTeen = Math.floor((value % 100) / 10) === 1
  return `${value}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')}`
}

type Token = (date: Date) => string

/** A number as it is under the letter, with two digits under the letter twice. */
const oneOrTwoDigits = (letter: string, value: (date: Date) => number): Record<string, Token> => ({
  [letter]: (date) => String(value(date)),
  [letter.repeat(2)]: (date) => padded(value(date), 2),
})

/** The same, and with `o` behind the letter as an ordinal: 1st, 2nd. */
const withOrdinal = (letter: string, value: (date: Date) => number): Record<string, Token> => ({
  ...oneOrTwoDigits(letter, value),
  [`${letter}o`]: (date) => ordinal(value(date)),
})

const years: Record<string, Token> = {
  Y: (date) => (date.getUTCFullYear() > 9999 ? '+' : '') + padded(date.getUTCFullYear(), 4),
  YY: (date) => padded(date.getUTCFullYear() % 100, 2),
  YYYY: (date) => padded(date.getUTCFullYear(), 4),
  YYYYY: (date) => padded(date.getUTCFullYear(), 5),
  YYYYYY: (date) => (date.getUTCFullYear() < 0 ? '' : '+') + padded(date.getUTCFullYear(), 6),
}

/** Years before the year 1 are counted backwards. */
const yearOfEra = (date: Date): number => {
  const year = date.getUTCFullYear()
  return year > 0 ? year : 1 - year
}
const era = (date: Date): string => (date.getUTCFullYear() > 0 ? 'AD' : 'BC')

const eras: Record<string, Token> = {
  y: (date) => String(yearOfEra(date)),
  yo: (date) => ordinal(yearOfEra(date)),
  yy: (date) => padded(yearOfEra(date), 2),
  yyy: (date) => padded(yearOfEra(date), 3),
  yyyy: (date) => padded(yearOfEra(date), 4),
  N: era,
  NN: era,
  NNN: era,
  NNNN: (date) => (date.getUTCFullYear() > 0 ? 'Anno Domini' : 'Before Christ'),
  NNNNN: era,
}

const days: Record<string, Token> = {
  Q: (date) => String(quarter(date)),
  Qo: (date) => ordinal(quarter(date)),
  ...withOrdinal('M', (date) => date.getUTCMonth() + 1),
  MMM: (date) => monthName(date).slice(0, 3),
  MMMM: monthName,
  ...withOrdinal('D', (date) => date.getUTCDate()),
  DDD: (date) => String(dayOfYear(date)),
  DDDo: (date) => ordinal(dayOfYear(date)),
  DDDD: (date) => padded(dayOfYear(date), 3),
  d: (date) => String(date.getUTCDay()),
  do: (date) => ordinal(date.getUTCDay()),
  dd: (date) => dayName(date).slice(0, 2),
  ddd: (date) => dayName(date).slice(0, 3),
  dddd: dayName,
  e: (date) => String(date.getUTCDay()),
  E: (date) => String(date.getUTCDay() || 7),
}

const weeks: Record<string, Token> = {
  ...withOrdinal('w', (date) => englishWeek(date).week),
  ...withOrdinal('W', (date) => isoWeek(date).week),
  gg: (date) => padded(englishWeek(date).year % 100, 2),
  gggg: (date) => padded(englishWeek(date).year, 4),
  ggggg: (date) => padded(englishWeek(date).year, 5),
  GG: (date) => padded(isoWeek(date).year % 100, 2),
  GGGG: (date) => padded(isoWeek(date).year, 4),
  GGGGG: (date) => padded(isoWeek(date).year, 5),
}

const times: Record<string, Token> = {
  ...oneOrTwoDigits('H', (date) => date.getUTCHours()),
  ...oneOrTwoDigits('h', (date) => date.getUTCHours() % 12 || 12),
  ...oneOrTwoDigits('k', (date) => date.getUTCHours() || 24),
  ...oneOrTwoDigits('m', (date) => date.getUTCMinutes()),
  ...oneOrTwoDigits('s', (date) => date.getUTCSeconds()),
  A: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  a: (date) => (date.getUTCHours() < 12 ? 'am' : 'pm'),
  Z: () => '+00:00',
  ZZ: () => '+0000',
  z: () => 'UTC',
  zz: () => 'Coordinated Universal Time',
  X: (date) => String(Math.floor(date.getTime() / 1000)),
  x: (date) => String(date.getTime()),
}

/** `S` to `SSSSSSSSS`: the fraction of the second, cut or filled up with zeros. */
const fractions: Record<string, Token> = Object.fromEntries(
  Array.from({ length: 9 }, (_, digits) => [
    'S'.repeat(digits + 1),
    (date: Date) =>
      padded(date.getUTCMilliseconds(), 3)
        .padEnd(9, '0')
        .slice(0, digits + 1),
  ]),
)

export const momentTokens: Readonly<Record<string, Token>> = {
  ...years,
  ...eras,
  ...days,
  ...weeks,
  ...times,
  ...fractions,
}

/** Tokens that are formats themselves, as English writes dates. */
export const longFormats: Readonly<Record<string, string>> = {
  LT: 'h:mm A',
  LTS: 'h:mm:ss A',
  L: 'MM/DD/YYYY',
  LL: 'MMMM D, YYYY',
  LLL: 'MMMM D, YYYY h:mm A',
  LLLL: 'dddd, MMMM D, YYYY h:mm A',
  l: 'M/D/YYYY',
  ll: 'MMM D, YYYY',
  lll: 'MMM D, YYYY h:mm A',
  llll: 'ddd, MMM D, YYYY h:mm A',
}
