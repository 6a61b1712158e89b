/**
 * Pages are built from pieces of markup that only `html` makes, and everything that is put into such a piece is escaped
 * unless it is one itself: no text that came from outside becomes markup, by construction. Values belong between tags or
 * into quoted attributes. Pure.
 */
import { escapeHtml } from '../../../../protocol/escape-html.ts'

/** No parsed JSON can carry this key. */
const markup = Symbol('markup')

export type Html = { readonly [markup]: string }

/** What may be put in; `null` and `false` are nothing. */
export type Content = string | number | Html | null | false | readonly Content[]

export const html = (strings: TemplateStringsArray, ...values: Content[]): Html => ({
  [markup]: strings.reduce((text, part, position) => text + written(values[position - 1] ?? null) + part),
})

const written = (content: Content): string => {
  if (content === null || content === false) return ''
  if (typeof content === 'number') return String(content)
  if (typeof content === 'string') return escapeHtml(printable(content))
  return markup in content ? content[markup] : content.map(written).join('')
}

/** Control characters show nothing, and those that turn the direction of writing around could make text lie. */
const printable = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')

export const markupOf = (piece: Html): string => piece[markup]
