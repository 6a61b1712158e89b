/** How a mail says its texts, in the language of the one who reads it. Pure. */

import type { MailText } from '../../services/mail/mail-catalogs.ts'
import { instantIn, spanOf } from '../../words/dates.ts'
import type { Told } from '../../words/told.ts'
import { english, type Forms, type Locale } from './locale.ts'
import type { HasLocales } from './locales.ts'

type Value = string | number

export type Speech = {
  /** BCP 47 */
  readonly lang: string
  /** Values are put in as they are: `text('Invitation to {0}', name)`. */
  text(text: MailText, ...values: readonly Value[]): string
  /** A text of ours that came as a value. */
  said(text: string, ...values: readonly Value[]): string
  /** A sentence that programs are told, too. */
  told(sentence: Told): string
  /** By the form for a count, `#` in it. */
  counted(count: number, forms: Forms & { readonly other: MailText }, ...values: readonly Value[]): string
  /** `14 Mar 2026, 02:13 UTC` */
  instant(at: number): string
  /** `12 minutes` */
  duration(ms: number): string
}

const speechIn = (locale: Locale): Speech => {
  const said: Speech['said'] = (text, ...values) => filled(locale.textOf(text) ?? text, values)
  const told: Speech['told'] = ({ text, values }) =>
    said(
      text,
      ...values.map((value) =>
        typeof value === 'string' ? value : 'at' in value ? instantIn(locale.lang, value.at) : told(value),
      ),
    )
  return {
    lang: locale.lang,
    text: said,
    said,
    told,
    counted: (count, forms, ...values) => filled(locale.counted(count, forms), values),
    instant: (at) => instantIn(locale.lang, at),
    duration: (ms) => locale.span(spanOf(ms)),
  }
}

const filled = (text: string, values: readonly Value[]): string =>
  text.replace(/\{(\d+)\}/g, (_, position: string) => String(values[Number(position)] ?? ''))

export const englishSpeech = speechIn(english)

/** `lang`: of the reader; English where it is not known, or no language of ours. */
export const speechOf = ({ locales }: HasLocales, lang: string | null | undefined): Speech => {
  const locale = locales.named(lang)
  return locale === undefined ? englishSpeech : speechIn(locale)
}
