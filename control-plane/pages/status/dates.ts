/** Instants in the words of a language; a script of the page shows them in the visitor's zone. Pure. */
import { boundedMemo } from '../../../protocol/bounded-memo.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import type { Words } from './words/words.ts'

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
      timeZone: 'UTC',
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
