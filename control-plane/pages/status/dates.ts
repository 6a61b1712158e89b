/** Instants, spans and counts in the words of a language; a script of the page shows them in the visitor's zone. Pure. */
import { boundedMemo } from '../../../protocol/bounded-memo.ts'
import type { Words } from '../../communication/stored-pages/words/words.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import type { Forms } from '../../platform/web/html/locale.ts'

type Form = 'instant' | 'day' | 'shortDay' | 'month'

const forms: Record<Form, Intl.DateTimeFormatOptions> = {
  instant: {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  },
  day: { day: 'numeric', month: 'short', year: 'numeric' },
  shortDay: { day: 'numeric', month: 'short' },
  month: { month: 'long', year: 'numeric' },
}

/** One takes longer to make than hundreds of dates to write. */
const formatOf = boundedMemo(
  (key) => {
    const [lang = 'en', form = 'instant'] = key.split(' ')
    // British English has the day first, as our other pages do.
    return new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, {
      ...forms[form as Form],
      // Past incidents stand by month, and months are these in every language.
      ...{ timeZone: 'UTC', calendar: 'gregory' },
    })
  },
  { limit: 100 },
)

export const dateText = ({ lang }: Words, form: Form, at: number): string =>
  formatOf(`${lang} ${form}`).format(at)

/** `22 Nov 2026, 20:35 UTC` */
export const instant = (words: Words, at: number): Html =>
  html`<time datetime="${new Date(at).toISOString()}">${dateText(words, 'instant', at)} UTC</time>`

const percent = boundedMemo(
  (key) => {
    const [lang = 'en', share] = key.split(' ')
    // Never rounded up: 99.999 % is not 100 %.
    const shown = Math.floor(Number(share) * 10_000) / 10_000
    return new Intl.NumberFormat(lang, { style: 'percent', maximumFractionDigits: 2 }).format(shown)
  },
  { limit: 5000 },
)

export const percentText = ({ lang }: Words, share: number): string => percent(`${lang} ${share}`)

const rulesOf = boundedMemo((lang) => new Intl.PluralRules(lang), { limit: 50 })
const numbersOf = boundedMemo((lang) => new Intl.NumberFormat(lang), { limit: 50 })

/** `3 incidents`; `{of}` of the forms is all of them. */
export const countText = ({ lang }: Words, count: number, forms: Forms, of = 0): string => {
  const numbers = numbersOf(lang)
  return (forms[rulesOf(lang).select(count)] ?? forms.other)
    .replace('#', numbers.format(count))
    .replace('{of}', numbers.format(of))
}

export const daysAgoText = ({ lang }: Words, days: number): string =>
  new Intl.RelativeTimeFormat(lang).format(-days, 'day')

const unitOf = boundedMemo(
  (key) => {
    const [lang = 'en', unit = 'minute'] = key.split(' ')
    return new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay: 'short' })
  },
  { limit: 100 },
)

/** `1 day 2 hr 5 min` */
export const durationText = ({ lang }: Words, minutes: number): string => {
  const parts = [
    ['day', Math.floor(minutes / 1440)],
    ['hour', Math.floor(minutes / 60) % 24],
    ['minute', minutes % 60],
  ] as const
  const said = parts.filter(([, count]) => count > 0)
  return (said.length === 0 ? parts.slice(-1) : said)
    .map(([unit, count]) => unitOf(`${lang} ${unit}`).format(count))
    .join(' ')
}
