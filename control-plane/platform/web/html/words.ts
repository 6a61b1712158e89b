/** Numbers and instants as people read them. Pure. */
import { durationInWords, instantInWords } from '../../services/mail/dates.ts'
import { type Html, html, inLocale, type Localized } from './html.ts'
import { english, type Unit } from './locale.ts'
import { say } from './say.ts'

/** `0.42 ms`, `42 ms`, `1,204 ms`, `12.3 s` */
export const milliseconds = (ms: number): string => {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms < 10 ? Number(ms.toFixed(2)) : Math.round(ms).toLocaleString('en')} ms`
}

export const bytes = (count: number): string => {
  if (count < 1024) return `${count} bytes`
  return count < 1024 ** 2 ? `${(count / 1024).toFixed(1)} KB` : `${(count / 1024 ** 2).toFixed(1)} MB`
}

/** `14 Mar 2026, 02:13:45 UTC`: whoever reads it is anywhere. */
export const utc = (at: number): Html => {
  const iso = new Date(at).toISOString()
  const toSeconds = inLocale((locale) =>
    locale.lang === english.lang
      ? instantInWords(at).replace(' UTC', `${iso.slice(16, 19)} UTC`)
      : locale.date(at, toSecondsInUtc),
  )
  return html`<time datetime="${iso}">${toSeconds}</time>`
}

const toSecondsInUtc: Intl.DateTimeFormatOptions = {
  ...{ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC', timeZoneName: 'short' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
}

export const duration = durationInWords

/** `12 minutes` */
export const lasted = (ms: number): Localized => inLocale((locale) => locale.span(unitsOf(ms)))

const unitsOf = (ms: number): { count: number; unit: Unit } => {
  const [count = '0', unit = 'second'] = duration(ms).split(' ')
  return { count: Number(count), unit: unit.replace(/s$/, '') as Unit }
}

/** `12 minutes ago`, `in 3 hours`. */
export const relative = (at: number, now: number): Localized =>
  inLocale((locale) => {
    if (Math.abs(now - at) < 2000) return say('just now')
    const { count, unit } = unitsOf(Math.abs(now - at))
    return locale.away(at > now ? count : -count, unit)
  })

/** Clocks of other machines may be a little ahead. */
export const ago = (at: number, now: number): Localized => relative(Math.min(at, now), now)

/** `3 files`, `1 file` */
export const counted = (count: number, noun: string): string => `${count} ${count === 1 ? noun : `${noun}s`}`

/** Of a certificate. */
export const daysInWords = (days: number): string =>
  days < 0
    ? `expired ${counted(-days, 'day')} ago`
    : days === 0
      ? 'expires today'
      : `${counted(days, 'day')} left`
