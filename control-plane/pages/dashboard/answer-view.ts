/** Any answer of the API as people read it: names and values, as deep as they go. Pure. */
import { type Content, type Html, html, inLocale, type Localized } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { cut } from '../../platform/web/html/section.ts'
import { utc } from '../../platform/web/html/utc.ts'
import { sayLabel } from './forms/words.ts'
import { sayWord } from './words.ts'

/** Whole, or in a sentence. */
const instants = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z)/
const languageCode = /^[a-z]{2}(-[A-Z]{2})?$/
const deepest = 6
const maxItems = 100
const longest = 4000

const isInstant = (text: string): boolean => text.split(instants).join('|') === `|${text}|`

/** People write these themselves: they are shown as they are written. */
const ownTexts = new Set(['name', 'key', 'value', 'description', 'message', 'script'])

const wordIn = (value: unknown, field: string): Content => {
  const text = cut(String(value), longest)
  if (field === 'description' && instants.test(text))
    return text.split(instants).map((piece, at) => (at % 2 === 0 ? piece : utc(Date.parse(piece))))
  return ownTexts.has(field) ? text : sayWord(text, field)
}

/** Of the languages that own texts are in. */
const languageName = (code: string): Localized =>
  inLocale(({ lang }) => new Intl.DisplayNames([lang], { type: 'language' }).of(code) ?? code)

const labelIn = (field: string, name: string): Content =>
  field === 'translations' && languageCode.test(name) ? languageName(name) : sayLabel(name)

/** `field`: the name of what holds the value. */
export const answerView = (value: unknown, field = '', depth = 0): Html => {
  if (value === null || value === undefined || value === '') return html`<span class="quiet">none</span>`
  if (typeof value === 'boolean') return html`${value ? say('yes') : say('no')}`
  if (typeof value === 'string' && isInstant(value)) return utc(Date.parse(value))
  if (typeof value !== 'object') return html`<span class="value">${wordIn(value, field)}</span>`
  if (depth >= deepest) return html`<code>${cut(JSON.stringify(value), longest)}</code>`
  if (Array.isArray(value)) return listView(value, field, depth)
  return html`<dl class="answer">${Object.entries(value).map(
    ([name, each]) =>
      html`<div><dt>${labelIn(field, name)}</dt><dd>${answerView(each, name, depth + 1)}</dd></div>`,
  )}</dl>`
}

const listView = (values: readonly unknown[], field: string, depth: number): Html => {
  if (values.length === 0) return html`<span class="quiet">none</span>`
  if (values.every((each) => typeof each !== 'object'))
    return html`${values.slice(0, maxItems).map((each, at) => [at === 0 ? '' : ', ', wordIn(each, field)])}`
  return html`<ul class="plain">${values.slice(0, maxItems).map((each) => html`<li>${answerView(each, field, depth + 1)}</li>`)}</ul>`
}
