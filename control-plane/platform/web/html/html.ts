/**
 * Pages are built from pieces of markup that only `html` makes, and everything that is put into such a piece is escaped
 * unless it is one itself: no text that came from outside becomes markup, by construction. Values belong between tags or
 * into quoted attributes. A piece is written when its language is known: the words of its literals are looked up then, and
 * what was put in never is, unless `say` marks it. Pure.
 */
import { escapeHtml } from '../../../../protocol/escape-html.ts'
import { english, type Locale } from './locale.ts'
import { type Message, type Part, partsOf } from './template.ts'

/** No parsed JSON can carry these keys. */
const markup = Symbol('markup')
const localized = Symbol('localized')

export type Html = { readonly [markup]: { strings: TemplateStringsArray; values: readonly Content[] } }

/** What depends on the reader's language. */
export type Localized = { readonly [localized]: (locale: Locale) => Content; toString(): never }

/** What may be put in; `null` and `false` are nothing. */
export type Content = string | number | Html | Localized | null | false | readonly Content[]

export const html = (strings: TemplateStringsArray, ...values: Content[]): Html => ({
  [markup]: { strings, values },
})

export const inLocale = (write: (locale: Locale) => Content): Localized => ({
  [localized]: write,
  toString: notYetText,
})

/** In a text of ours it would be one that no language has. */
const notYetText = (): never => {
  throw new TypeError('What depends on the language is put into `html` or `say`, not into a string')
}

export const markupOf = (piece: Html, locale: Locale = english): string => {
  const { strings, values } = piece[markup]
  let text = ''
  for (const part of templateOf(strings)(locale))
    text += typeof part === 'string' ? part : written(values[part] ?? null, locale)
  return text
}

const written = (content: Content, locale: Locale): string => {
  if (content === null || content === false) return ''
  if (typeof content === 'number') return String(content)
  if (typeof content === 'string') return escapeHtml(printable(content))
  if (markup in content) return markupOf(content, locale)
  if (localized in content) return written(content[localized](locale), locale)
  return content.map((each) => written(each, locale)).join('')
}

/** Markup, and the numbers of holes. */
type Flat = readonly (string | number)[]
type Template = (locale: Locale) => Flat

/** Literals are read once, and once more for each language. */
const templates = new WeakMap<TemplateStringsArray, Template>()

const templateOf = (strings: TemplateStringsArray): Template => {
  const known = templates.get(strings)
  if (known !== undefined) return known
  const parts = partsOf(strings)
  const byLocale = new WeakMap<Locale, Flat>()
  const template = (locale: Locale): Flat => {
    const ready = byLocale.get(locale) ?? joined(parts.flatMap((part) => flatten(part, locale)))
    byLocale.set(locale, ready)
    return ready
  }
  templates.set(strings, template)
  return template
}

const flatten = (part: Part, locale: Locale): (string | number)[] =>
  typeof part === 'object' ? translated(part, locale) : [part]

const translated = ({ id, source, slots }: Message, locale: Locale): (string | number)[] => {
  const text = locale.textOf(id)
  if (text === null) return source.flatMap((part) => flatten(part, locale))
  return text
    .split(/(\{\d+\}|<\/?\d+>|<\d+\/>)/)
    .flatMap((piece, at) =>
      at % 2 === 0
        ? [escapeHtml(piece)]
        : (slots.get(piece.replace(/[{}]/g, '')) ?? []).flatMap((part) => flatten(part, locale)),
    )
}

const joined = (flat: Flat): Flat => {
  const parts: (string | number)[] = []
  for (const part of flat) {
    const last = parts.at(-1)
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part
    else parts.push(part)
  }
  return parts
}

/** Control characters show nothing, and those that turn the direction of writing around could make text lie. */
const printable = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
