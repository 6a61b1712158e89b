/** The small pieces that sections of a page are made of. Pure. */
import { maskUrl } from '../../services/secrets/masks.ts'
import { type Content, type Html, html } from './html.ts'
import { ours } from './say.ts'

export const section = (title: Content, content: Content, id = ''): Html =>
  html`<section class="card"${id === '' ? null : html` id="${id}"`}><h2>${ours(title)}</h2>${content}</section>`

/** Label and value; those without a value are left out. A wide one has a line of its own. */
export type Fact = readonly [label: Content, value: Content, width?: 'wide']

export const factList = (facts: readonly Fact[]): Html | null => {
  const known = facts.filter(([, value]) => value !== null && value !== '')
  if (known.length === 0) return null
  return html`<dl class="facts">${known.map(([label, value, width]) => html`<div${width === undefined ? null : html` class="wide"`}><dt>${ours(label)}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** Folded, unless it is what people came for. */
export const folded = (summary: Content, content: Content, isOpen = false): Html =>
  html`<details${isOpen ? html` open` : null}><summary>${ours(summary)}</summary>${content}</details>`

export const code = (text: string): Html => html`<code>${text}</code>`

/** Focusable, because it scrolls. */
export const block = (label: string, text: Content): Html =>
  html`<pre tabindex="0" role="region" aria-label="${label}">${text}</pre>`

/** At most `length` characters, and whether there were more. */
export const cut = (text: string, length: number): string =>
  text.length <= length
    ? text
    : `${text.slice(0, length)}\n… (${(text.length - length).toLocaleString('en')} more characters)`

/** Sentences of people and programs name addresses, and addresses may hold passwords and keys. */
export const withoutCredentials = (text: string): string => text.replace(/https?:\/\/\S+/gi, maskUrl)
