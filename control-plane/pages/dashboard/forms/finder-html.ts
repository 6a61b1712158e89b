/** A search in a list to choose from: of ten thousand things a few are shown. Buttons send the form, so that it needs no script. Pure. */
import { type Html, html } from '../../../platform/web/html/html.ts'
import { say } from '../../../platform/web/html/say.ts'
import { idOf, nameOf, type OfKind, type Spot } from './control-html.ts'
import type { Field } from './fields.ts'

/** Fewer are seen at once. */
const fewest = 8

const isSearched = ({ choice }: Field): boolean =>
  choice !== undefined && (choice.hasMore || choice.search !== '' || choice.options.length > fewest)

/** `options`: the id of what shows what was found. */
export const finderHtml = (field: Field, spot: Spot, options: string): Html | null => {
  const { choice, label } = field
  if (choice === undefined || spot.isInLine === true || !isSearched(field)) return null
  return html`<div class="finder"><input type="hidden" name="found.${choice.name}" value="${choice.search}"><input type="search" id="${idOf(spot)}-find" name="find.${choice.name}" value="${choice.search}" maxlength="100" autocomplete="off" data-find="${options}" aria-label="${say('Search')}: ${say(label)}" placeholder="${say('Search')}"> <button class="second small" name="_do" value="find:${choice.name}" data-swap="${options}" formnovalidate>${say('Find')}</button></div>`
}

/** That there is more than is shown, or nothing of that name. */
export const moreHtml = ({ choice }: Field): Html | null => {
  if (choice === undefined) return null
  if (choice.hasMore)
    return html`<p class="help">${say('The first {0} are shown: search for others.', choice.options.length)}</p>`
  if (choice.search === '' || choice.options.length > 0) return null
  return html`<p class="help">${say('Nothing is called “{0}”.', choice.search)}</p>`
}

/** Many at once: those that are shown. */
export const allHtml = (field: OfKind<'checkboxes'>, spot: Spot): Html | null => {
  if (field.options.length <= 3) return null
  const button = (act: string, word: Html) =>
    html`<button class="second small" name="_do" value="${act}:${nameOf(spot)}" data-swap="${idOf(spot)}-options" formnovalidate>${word}<span class="hide">: ${say(field.label)}</span></button> `
  return html`<p class="all">${button('all', html`${say('Tick all {0}', field.options.length)}`)}${button('none', html`${say('Tick none')}`)}</p>`
}

/** Those that are there already, to be put among what is written. */
export const suggestionsHtml = (field: OfKind<'lines'>, spot: Spot): Html | null => {
  const { choice } = field
  if (choice === undefined) return null
  const written = new Set(
    (Array.isArray(spot.value) ? spot.value.map(String) : String(spot.value ?? '').split('\n')).map((line) =>
      line.trim(),
    ),
  )
  const others = choice.options.filter(({ label }) => !written.has(label))
  if (others.length === 0 && choice.search === '') return null
  return html`${finderHtml(field, spot, `${idOf(spot)}-field`)}<p class="suggested">${others.map(
    ({ label }) =>
      html`<button class="second small" name="_do" value="put:${nameOf(spot)}=${label}" data-swap="${idOf(spot)}-field" formnovalidate><span aria-hidden="true">+ </span><span class="hide">${say('Add')} </span><span dir="auto">${label}</span></button> `,
  )}</p>${moreHtml(field)}`
}
