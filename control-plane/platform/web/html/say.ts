/** What is no literal of a template and still ours to say: words of tables, counts, numbers. What is not marked is never translated. Pure. */

import { type Content, inLocale, type Localized } from './html.ts'
import type { Forms } from './locale.ts'

/** A text of ours, in the reader's language: `say('Overview')`. Values are put in as they are: `say('Not from {0}', network)`. */
export const say = (text: string, ...values: readonly (string | number)[]): Localized =>
  inLocale((locale) =>
    (locale.textOf(text) ?? text).replace(/\{(\d+)\}/g, (_, at: string) => String(values[Number(at)] ?? '')),
  )

/** `count(3, { one: '# day', other: '# days' })` */
export const count = (value: number, forms: Forms): Localized =>
  inLocale((locale) => locale.counted(value, forms))

export const number = (value: number): Localized => inLocale((locale) => locale.number(value))

/** What a helper of pages is given for a text of ours: a bare one is said, and what is a piece of markup was marked by its author. */
export const ours = (text: Content): Content => (typeof text === 'string' && text !== '' ? say(text) : text)
