/** Numbers and instants as people read them. Pure. */
import { durationInWords } from '../../words/dates.ts'
import { inLocale, type Localized } from './html.ts'
import type { Unit } from './locale.ts'
import { count, number, say } from './say.ts'

/** `0.42 ms`, `42 ms`, `1,204 ms`, `12.3 s` */
export const milliseconds = (ms: number): Localized => {
  if (ms >= 10_000)
    return say(
      '{0} s',
      inLocale((locale) => locale.fixed(ms / 1000, 1)),
    )
  return say('{0} ms', number(ms < 10 ? Number(ms.toFixed(2)) : Math.round(ms)))
}

export const bytes = (size: number): Localized => {
  if (size < 1024) return count(size, { one: '# byte', other: '# bytes' })
  const isSmall = size < 1024 ** 2
  const shown = inLocale((locale) => locale.fixed(size / (isSmall ? 1024 : 1024 ** 2), 1))
  return isSmall ? say('{0} KB', shown) : say('{0} MB', shown)
}

/** `99.95 %` */
export const percent = (value: number | string): Localized =>
  say('{0} %', typeof value === 'number' ? number(value) : number(Number(value)))

/** `12 minutes` */
export const lasted = (ms: number): Localized => inLocale((locale) => locale.span(unitsOf(ms)))

const unitsOf = (ms: number): { count: number; unit: Unit } => {
  const [amount = '0', unit = 'second'] = durationInWords(ms).split(' ')
  return { count: Number(amount), unit: unit.replace(/s$/, '') as Unit }
}

/** `12 minutes ago`, `in 3 hours`. */
export const relative = (at: number, now: number): Localized =>
  inLocale((locale) => {
    if (Math.abs(now - at) < 2000) return say('just now')
    const away = unitsOf(Math.abs(now - at))
    return locale.away(at > now ? away.count : -away.count, away.unit)
  })

/** Clocks of other machines may be a little ahead. */
export const ago = (at: number, now: number): Localized => relative(Math.min(at, now), now)

/** Of a certificate. */
export const daysInWords = (days: number): Localized =>
  days < 0
    ? count(-days, { one: 'expired # day ago', other: 'expired # days ago' })
    : days === 0
      ? say('expires today')
      : count(days, { one: '# day left', other: '# days left' })
