/** What is no literal of a template and still ours to say: words of tables, counts, numbers. What is not marked is never translated. Pure. */

import type { Told } from '../../words/told.ts'
import { type Content, html, inLocale, type Localized } from './html.ts'
import type { Forms } from './locale.ts'
import { utcText } from './utc.ts'

/** A text of ours, in the reader's language: `say('Overview')`. Values are put in as they are: `say('Not from {0}', network)`. */
export const say = (text: string, ...values: readonly Content[]): Localized =>
  inLocale((locale) => filled(locale.textOf(text) ?? text, values))

const filled = (text: string, values: readonly Content[]): Content =>
  text.split(/\{(\d+)\}/).map((piece, at) => (at % 2 === 0 ? piece : (values[Number(piece)] ?? '')))

/** What stands in `backticks` is code. */
export const withCode = (text: string, values: readonly Content[] = []): Content =>
  text
    .split(/`([^`]+)`/)
    .map((piece, at) => (at % 2 === 0 ? filled(piece, values) : html`<code>${filled(piece, values)}</code>`))

/** A text of ours with code in it, between tags. */
export const sayWithCode = (text: string, ...values: readonly Content[]): Localized =>
  inLocale((locale) => withCode(locale.textOf(text) ?? text, values))

/** `count(3, { one: '# day', other: '# days' })` */
export const count = (value: number, forms: Forms): Localized =>
  inLocale((locale) => locale.counted(value, forms))

export const number = (value: number, digits = 3): Localized =>
  inLocale((locale) => locale.number(value, digits))

export const fixed = (value: number, digits: number): Localized =>
  inLocale((locale) => locale.fixed(value, digits))

/** `Alpha, Beta and Gamma` */
export const listed = (items: readonly Content[]): Localized =>
  inLocale((locale) =>
    locale.list(items.length).map((piece) => (typeof piece === 'number' ? (items[piece] ?? '') : piece)),
  )

/** What a helper of pages is given for a text of ours: a bare one is said, and what is a piece of markup was marked by its author. */
export const ours = (text: Content): Content => (typeof text === 'string' && text !== '' ? say(text) : text)

/** A sentence that others tell programs, too. Between tags. */
export const sayTold = ({ text, values }: Told): Localized =>
  sayWithCode(
    text,
    ...values.map((value) =>
      typeof value === 'string' ? value : 'at' in value ? utcText(value.at) : sayTold(value),
    ),
  )

export const sayAll = (sentences: readonly Told[]): Content =>
  sentences.map((sentence, at) => [at === 0 ? '' : ' ', sayTold(sentence)])
