/**
 * The markup of a form: fields with their values, and what is wrong with them where it is wrong. Rows are added and taken away by buttons
 * that send the form, so that it needs no script. Pure.
 */
import { type Html, html } from '../../../platform/web/html/html.ts'
import { say, sayWithCode } from '../../../platform/web/html/say.ts'
import {
  controlHtml,
  describedBy,
  type FormState,
  idIn,
  idOf,
  isProgram,
  nameOf,
  type OfKind,
  plain,
  type Spot,
  withChosen,
} from './control-html.ts'
import type { Field } from './fields.ts'
import { allHtml, finderHtml, moreHtml, suggestionsHtml } from './finder-html.ts'
import { addWords, nounOf, removeWords, rowWords } from './form-words.ts'
import { type Place, pathOf } from './layout.ts'
import { emptiedName, isSetBlock, isStoredSecret, treeOf } from './read-body.ts'
import { translationsHtml } from './translations-html.ts'

export const fieldsHtml = (fields: readonly Field[], { values, ...state }: FormState): Html[] =>
  inner(fields, { ...state, path: '', value: values, holder: {} })

/** A field where a plan has put it. Also in a form that changes something, nobody has filled in what is not there. */
export const placeHtml = (place: Place, { values, ...state }: FormState): Html => {
  const { field, within } = place
  const holder = treeOf(within === '' ? values : treeOf(values)[within])
  const isFresh = state.isFresh || (within !== '' && treeOf(values)[within] === undefined)
  return fieldHtml(field, { ...state, isFresh, path: pathOf(place), value: holder[field.name], holder })
}

const inner = (fields: readonly Field[], spot: Spot): Html[] =>
  fields.map((field) =>
    fieldHtml(field, {
      ...spot,
      path: spot.path === '' ? field.name : `${spot.path}.${field.name}`,
      value: treeOf(spot.value)[field.name],
      holder: treeOf(spot.value),
    }),
  )

const errorHtml = (spot: Spot): Html | null => {
  const messages = spot.errors.get(spot.path)
  return messages === undefined
    ? null
    : html`<p class="error" id="${idOf(spot)}-error"><span aria-hidden="true">✕ </span>${messages.map((message, at) => [at === 0 ? '' : '; ', message])}</p>`
}

/** Also where there is nothing to note: it may come while somebody types. */
const noteHtml = (field: Field, spot: Spot): Html | null => {
  if (!isProgram(field)) return null
  const { line = null, message = '' } = spot.notes?.get(spot.path) ?? {}
  const where = line === null ? message : html`${say('Line {0}', line)}: ${message}`
  return html`<p class="error" id="${idOf(spot)}-note" data-look aria-live="polite"${line === null ? null : html` data-line="${line}"`}>${message === '' ? null : html`<span aria-hidden="true">✕ </span>${where}`}</p>`
}

const helpHtml = (field: Field, spot: Spot): Html | null =>
  field.help === '' || spot.isInLine === true
    ? null
    : html`<p class="help" id="${idOf(spot)}-help">${sayWithCode(field.help)}</p>`

const fieldHtml = (field: Field, spot: Spot): Html => {
  switch (field.kind) {
    case 'group':
      return groupHtml(field, spot)
    case 'rows':
      return rowsHtml(field, spot)
    case 'checkboxes':
      return checkboxesHtml(field, spot)
    case 'translations':
      return translationsHtml(field, spot, inner)
    case 'channels':
      return checkboxesHtml({ ...field, kind: 'checkboxes', isOfReferences: false }, withActive(spot))
    case 'switch':
      return switchHtml(field, spot)
    case 'every':
      return html`<div class="field every"><span class="label" id="${idOf(spot)}-label">${say(field.label)}</span>${controlHtml(field, spot)}${errorHtml(spot)}</div>`
    default:
      return spot.isInLine === true
        ? html`<div class="cell cell-${field.name}">${controlHtml(field, spot)}${errorHtml(spot)}</div>`
        : html`<div class="field ${field.name}"${field.kind === 'lines' ? html` id="${idOf(spot)}-field"` : null}><label for="${idOf(spot)}">${say(field.label)}${mark(field)}</label>${field.kind === 'select' ? selectWithFinder(field, spot) : controlHtml(field, spot)}${field.kind === 'lines' ? suggestionsHtml(field, spot) : null}${errorHtml(spot)}${noteHtml(field, spot)}${helpHtml(field, spot)}${storedSecretHtml(field, spot)}</div>`
  }
}

const selectWithFinder = (field: OfKind<'select'>, spot: Spot): Html => {
  const options = `${idOf(spot)}-options`
  return html`${finderHtml(field, spot, options)}<div id="${options}">${controlHtml(field, spot)}${moreHtml(field)}</div>`
}

/** A subscription that is switched off tells nobody. */
const withActive = (spot: Spot): Spot =>
  Array.isArray(spot.value)
    ? { ...spot, value: spot.value.filter((each) => treeOf(each)['activated'] !== false) }
    : spot

const storedSecretHtml = (field: Field, spot: Spot): Html | null => {
  if (spot.isFresh || !isStoredSecret(field)) return null
  const name = nameOf(spot).replace(/[^.]*$/, emptiedName(field))
  return html`<p class="help">Left empty, it stays as it is. <label><input type="checkbox" name="${name}" value="true"> Take it away</label></p>`
}

const mark = ({ isRequired, isNullable, default: preset }: Field): Html | null =>
  isRequired && !isNullable && preset === undefined ? html` <span class="quiet">(needed)</span>` : null

const isOn = (value: unknown): boolean => value === true || value === 'true'

const switchHtml = (field: OfKind<'switch'>, spot: Spot): Html =>
  html`<div class="field switch"><input type="hidden" name="${nameOf(spot)}" value="false"><label><input type="checkbox" id="${idOf(spot)}" name="${nameOf(spot)}" value="true"${isOn(spot.value === undefined ? field.default : spot.value) ? html` checked` : null}${describedBy(field, spot)}> ${say(field.label)}</label>${errorHtml(spot)}${helpHtml(field, spot)}</div>`

const groupHtml = (field: OfKind<'group'>, spot: Spot): Html => {
  // Also in a form that changes something: nobody has filled in what is not there.
  const isFresh = spot.isFresh || spot.value === undefined || spot.value === null
  const within = inner(field.fields, { ...spot, isFresh })
  const onName = `${nameOf(spot)}._on`
  return html`<fieldset class="group"><legend>${say(field.label)}</legend>${errorHtml(spot)}${helpHtml(field, spot)}${
    field.isNullable
      ? html`<div class="switch on"><input type="hidden" name="${onName}" value="false"><label><input type="checkbox" name="${onName}" value="true"${isSetBlock(spot.value) ? html` checked` : null}> Set</label></div><div class="inner">${within}</div>`
      : within
  }</fieldset>`
}

/** Whether its rows are one line each: nothing in them needs more. */
const isInLine = ({ item }: OfKind<'rows'>): boolean =>
  item.kind === 'group' &&
  item.fields.length <= 5 &&
  item.fields.every(
    ({ kind, name }) =>
      ['select', 'number', 'text', 'switch'].includes(kind) && !['content', 'description'].includes(name),
  )

const rowsHtml = (field: OfKind<'rows'>, spot: Spot): Html => {
  // What is needed begins with a row to fill in.
  const isBegun = spot.isFresh && field.isRequired
  const rows = Array.isArray(spot.value) ? spot.value : isBegun ? [{}] : []
  const noun = nounOf(field.name)
  return html`<fieldset class="group rows ${field.name}" id="${idOf(spot)}"><legend>${say(field.label)}${mark(field)}</legend>${errorHtml(spot)}${helpHtml(field, spot)}
${rows.map((row, position) => rowHtml(field, { ...spot, path: `${spot.path}.${position}`, value: row, holder: treeOf(row), isFresh: Object.keys(treeOf(row)).length === 0 }, position))}
<button class="second small" name="_do" value="add:${nameOf(spot)}" data-swap="${idOf(spot)}" formnovalidate>${say(addWords[noun])}</button></fieldset>`
}

/** Ids tell which row is which; people neither know nor change them. */
const rowFields = (fields: readonly Field[], spot: Spot): Html[] => {
  const isId = ({ name }: Field): boolean => name === 'id' || name === 'statusPageId'
  const ids = fields.filter(isId).flatMap(({ name }) => {
    const id = plain(treeOf(spot.value)[name])
    return id === '' ? [] : [html`<input type="hidden" name="${nameOf(spot)}.${name}" value="${id}">`]
  })
  return [
    ...ids,
    ...inner(
      fields.filter((field) => !isId(field)),
      spot,
    ),
  ]
}

const rowHtml = (field: OfKind<'rows'>, spot: Spot, position: number): Html => {
  const { item, name } = field
  const noun = nounOf(name)
  const inLine = isInLine(field)
  return html`<div class="row${inLine ? ' inline' : ''}" id="${idOf(spot)}" role="group" aria-label="${say(rowWords[noun], position + 1)}"><input type="hidden" name="${nameOf(spot)}._row" value="${position + 1}">${item.kind === 'group' ? rowFields(item.fields, inLine ? { ...spot, isInLine: true } : spot) : null}<button class="second small drop" name="_do" value="remove:${nameOf(spot)}" data-swap="${idOf(spot).replace(/-\d+$/, '')}" formnovalidate aria-label="${say(removeWords[noun], position + 1)}">${inLine ? html`<span aria-hidden="true">✕</span>` : say('Remove')}</button>${errorHtml(spot)}</div>`
}

/** Where there is one private location, a new check runs there. */
const chosenIn = ({ name, options }: OfKind<'checkboxes'>, { value, isFresh }: Spot): unknown[] => {
  if (Array.isArray(value)) return value
  return isFresh && name === 'privateLocations' && options.length === 1
    ? options.map(({ value }) => value)
    : []
}

const checkboxesHtml = (field: OfKind<'checkboxes'>, spot: Spot): Html => {
  const chosen = new Set(chosenIn(field, spot).map((each) => idIn(each)))
  // Nobody is asked for what there is none of.
  if (field.name === 'locations' && field.options.length + chosen.size === 0) return html``
  const boxes = withChosen(field.options, [...chosen]).map(
    ({ value, label, said = label }) =>
      html`<label><input type="checkbox" name="${nameOf(spot)}[]" value="${String(value)}"${chosen.has(String(value)) ? html` checked` : null}> ${said}</label>`,
  )
  return html`<fieldset class="group boxed ${field.name}" id="${idOf(spot)}"><legend>${say(field.label)}${mark(field)}</legend>${errorHtml(spot)}${helpHtml(field, spot)}${
    boxes.length === 0 && (field.choice?.search ?? '') === ''
      ? html`<p class="quiet">There are none yet.</p>`
      : null
  }${finderHtml(field, spot, `${idOf(spot)}-options`)}<div id="${idOf(spot)}-options"><div class="boxes">${boxes}</div><div class="beside">${allHtml(field, spot)}${moreHtml(field)}</div></div></fieldset>`
}
