/** Instants as whoever reads them anywhere reads them alike. Pure. */
import { instantInWords } from '../../words/dates.ts'
import { type Html, html, inLocale, type Localized } from './html.ts'
import { english } from './locale.ts'

/** `14 Mar 2026, 02:13 UTC` */
export const utcText = (at: number): Localized =>
  inLocale((locale) => (locale.lang === english.lang ? instantInWords(at) : locale.date(at, toMinutesInUtc)))

const toMinutesInUtc: Intl.DateTimeFormatOptions = {
  ...{ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC', timeZoneName: 'short' },
  ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
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
