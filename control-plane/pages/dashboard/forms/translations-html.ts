/** The owner's texts in other languages: folded, a part for each language, which says what of it falls back. Pure. */
import { type Html, html, inLocale } from '../../../platform/web/html/html.ts'
import { say } from '../../../platform/web/html/say.ts'
import { idOf, type OfKind, plain, type Spot } from './control-html.ts'
import type { Field, Option } from './fields.ts'
import { treeOf } from './read-body.ts'

type Translated = OfKind<'translations'>
type Inner = (fields: readonly Field[], spot: Spot) => Html[]

const writtenIn = (field: Translated, value: unknown): number =>
  field.fields.filter(({ name }) => plain(treeOf(value)[name]) !== '').length

/** What is written stays in sight, also where visitors may no longer choose its language. */
const shownIn = (field: Translated, { value }: Spot): Option[] => {
  const others = field.langs.filter(
    (lang) => writtenIn(field, treeOf(value)[lang]) > 0 && !field.offered.some((each) => each.value === lang),
  )
  return [...field.offered, ...others.map((lang) => ({ value: lang, label: lang }))]
}

export const translationsHtml = (field: Translated, spot: Spot, inner: Inner): Html => {
  const languages = shownIn(field, spot)
  if (languages.length === 0) return html``
  const hasError = [...spot.errors.keys()].some((path) => path.startsWith(`${spot.path}.`))
  const done = languages.filter(
    ({ value }) => writtenIn(field, treeOf(spot.value)[String(value)]) === field.fields.length,
  )
  return html`<details class="translations" id="${idOf(spot)}"${hasError ? html` open` : null}><summary>${say('In other languages')} <span class="quiet">${say('{0} of {1} complete', done.length, languages.length)}</span></summary>${languages.map((language) => languageHtml(field, { spot, language, inner }))}</details>`
}

const languageHtml = (
  field: Translated,
  { spot, language, inner }: { spot: Spot; language: Option; inner: Inner },
): Html => {
  const lang = String(language.value)
  const value = treeOf(spot.value)[lang]
  const falling = field.fields.filter(({ name }) => plain(treeOf(value)[name]) === '')
  const fields = inner(field.fields, {
    ...spot,
    path: `${spot.path}.${lang}`,
    value,
    holder: treeOf(spot.value),
    isFresh: false,
  })
  return html`<fieldset class="group" lang="${lang}"><legend>${language.label}${
    falling.length === 0
      ? null
      : html` <span class="quiet" lang="${inLocale(({ lang: own }) => own)}">${falling.length === field.fields.length ? say('falls back to the text above') : html`${say('falls back')}: ${falling.map(({ label }, at) => html`${at > 0 ? ', ' : ''}${say(label)}`)}`}</span>`
  }</legend>${fields}</fieldset>`
}
