/** The one way in which messages write instants and spans: whoever reads them is anywhere, and may search for them. Pure. */

import { instantInWords } from '../../words/instant-in-words.ts'

/** The same in the words of a language: `14.03.2026, 02:13 UTC`. */
export const instantIn = (lang: string, at: number): string =>
  lang === 'en'
    ? instantInWords(at)
    : `${new Intl.DateTimeFormat(lang, {
        ...{ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' },
        ...{ timeZone: 'UTC', calendar: 'gregory' },
      }).format(at)} UTC`

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** In the largest unit that there are two of, or the smallest. */
export const spanOf = (ms: number): { count: number; unit: (typeof units)[number][0] } => {
  const [unit, length] = units.find(([, each]) => ms >= 2 * each) ?? ['second', 1000]
  return { count: Math.max(0, Math.floor(ms / length)), unit }
}

/** `12 minutes` */
export const durationInWords = (ms: number): string => {
  const { count, unit } = spanOf(ms)
  return `${count} ${count === 1 ? unit : `${unit}s`}`
}
