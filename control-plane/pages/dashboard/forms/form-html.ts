/**
 * The markup of a form: fields with their values, and what is wrong with them where it is wrong. Rows are added and taken away by buttons
 * that send the form, so that it needs no script. Pure.
 */
import { type Content, type Html, html } from '../../../platform/web/html/html.ts'
import type { Field, Option } from './fields.ts'
import { emptiedName, isStoredSecret, treeOf } from './read-body.ts'

/** Messages by the path of their field, without the prefix. */
type Errors = ReadonlyMap<string, readonly string[]>

type FormState = {
  values: unknown
  errors: Errors
  /** `body` or `query`: what the names of its fields begin with. */
  prefix: string
  /** Nobody has filled it in yet: what is not there has its default. */
  isFresh: boolean
}

type Spot = Omit<FormState, 'values'> & { path: string; value: unknown }
type OfKind<K extends Field['kind']> = Extract<Field, { kind: K }>

export const fieldsHtml = (fields: readonly Field[], { values, ...state }: FormState): Html[] =>
  inner(fields, { ...state, path: '', value: values })

const inner = (fields: readonly Field[], spot: Spot): Html[] =>
  fields.map((field) =>
    fieldHtml(field, {
      ...spot,
      path: spot.path === '' ? field.name : `${spot.path}.${field.name}`,
      value: treeOf(spot.value)[field.name],
    }),
  )

const nameOf = ({ prefix, path }: Spot): string => `${prefix}.${path}`
const idOf = (spot: Spot): string => `f-${nameOf(spot).replaceAll('.', '-')}`

const errorHtml = (spot: Spot): Html | null => {
  const messages = spot.errors.get(spot.path)
  return messages === undefined
    ? null
    : html`<p class="error" id="${idOf(spot)}-error"><span aria-hidden="true">✕ </span>${messages.join('; ')}</p>`
}

const helpHtml = (field: Field, spot: Spot): Html | null =>
  field.help === '' ? null : html`<p class="help" id="${idOf(spot)}-help">${field.help}</p>`

const describedBy = (field: Field, spot: Spot): Content => {
  const hasError = spot.errors.has(spot.path)
  const ids = [
    ...(hasError ? [`${idOf(spot)}-error`] : []),
    ...(field.help === '' ? [] : [`${idOf(spot)}-help`]),
  ]
  return [
    ids.length === 0 ? null : html` aria-describedby="${ids.join(' ')}"`,
    hasError ? html` aria-invalid="true"` : null,
  ]
}

const fieldHtml = (field: Field, spot: Spot): Html => {
  switch (field.kind) {
    case 'group':
      return groupHtml(field, spot)
    case 'rows':
      return rowsHtml(field, spot)
    case 'checkboxes':
      return checkboxesHtml(field, spot)
    case 'switch':
      return switchHtml(field, spot)
    default:
      return html`<div class="field"><label for="${idOf(spot)}">${field.label}${mark(field)}</label>${control(field, spot)}${errorHtml(spot)}${helpHtml(field, spot)}${storedSecretHtml(field, spot)}</div>`
  }
}

const storedSecretHtml = (field: Field, spot: Spot): Html | null => {
  if (spot.isFresh || !isStoredSecret(field)) return null
  const name = nameOf(spot).replace(/[^.]*$/, emptiedName(field))
  return html`<p class="help">Left empty, it stays as it is. <label><input type="checkbox" name="${name}" value="true"> Take it away</label></p>`
}

const mark = ({ isRequired, isNullable }: Field): Html | null =>
  isRequired && !isNullable ? html` <span class="quiet">(needed)</span>` : null

const control = (field: OfKind<'select' | 'number' | 'text' | 'lines' | 'json'>, spot: Spot): Html => {
  const common = html`id="${idOf(spot)}" name="${nameOf(spot)}"${describedBy(field, spot)}`
  if (field.kind === 'select') return selectHtml(field, spot, common)
  if (field.kind === 'number')
    return html`<input ${common} type="number" inputmode="decimal" step="${field.isWhole ? 1 : 'any'}"${field.min === null ? null : html` min="${field.min}"`}${field.max === null ? null : html` max="${field.max}"`} value="${shown(field, spot)}">`
  if (field.kind === 'text' && field.isInstant) return instantHtml(shown(field, spot), common)
  if (field.kind === 'lines')
    return html`<textarea ${common} rows="3" placeholder="One in each line">${linesOf(spot.value)}</textarea>`
  if (field.kind === 'json')
    return html`<textarea ${common} rows="4" class="mono" placeholder="JSON">${typeof spot.value === 'string' ? spot.value : spot.value === undefined ? '' : JSON.stringify(spot.value, null, 2)}</textarea>`
  return textHtml(field, spot, common)
}

/** What it has, or, where nobody was yet, what it would have. */
const shown = (field: Field, { value, isFresh }: Spot): string =>
  plain(value === undefined && isFresh ? field.default : value)
const plain = (value: unknown): string => (value === undefined || value === null ? '' : String(value))
const linesOf = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : plain(value))

/** A browser's own way to choose a moment knows no zones: everything is in UTC here. What is none stays as it was written. */
const instantHtml = (text: string, common: Html): Html => {
  const at = Date.parse(/T[\d:.]+$/.test(text) ? `${text}Z` : text)
  if (text !== '' && Number.isNaN(at)) return html`<input ${common} type="text" value="${text}">`
  const value = text === '' ? '' : new Date(at).toISOString().replace(/(\.000)?Z$/, '')
  return html`<input ${common} type="datetime-local" step="any" value="${value}">`
}

/** Long and read by machines; a description is neither. */
const code = /script(?!ion)|body|template|schema/i

const textHtml = (field: OfKind<'text'>, spot: Spot, common: Html): Html => {
  const longest = field.longest === null ? null : html` maxlength="${field.longest}"`
  // A line feed after the tag is not part of the text.
  if (field.isLong)
    return html`<textarea ${common} rows="${code.test(field.name) ? 12 : 3}"${longest}${code.test(field.name) ? html` class="mono" spellcheck="false"` : null}>\n${shown(field, spot)}</textarea>`
  return html`<input ${common} type="${field.isSecret ? 'password' : 'text'}"${field.isSecret ? html` autocomplete="new-password"` : html` autocomplete="off"`}${longest}${field.example === '' ? null : html` placeholder="${field.example}"`} value="${shown(field, spot)}">`
}

const selectHtml = (field: OfKind<'select'>, spot: Spot, common: Html): Html => {
  // Something is always chosen in a list: where there is no value, not what happens to stand first.
  const chosen = shown(field, { ...spot, isFresh: true })
  const needsEmpty =
    field.isNullable || (chosen === '' && field.default === undefined && field.options.length !== 1)
  return html`<select ${common}>${needsEmpty ? html`<option value="">${field.isNullable ? 'none' : field.isRequired ? 'choose' : 'not set'}</option>` : null}${withChosen(field.options, chosen === '' ? [] : [chosen]).map((option) => optionHtml(option, chosen))}</select>`
}

/** What is chosen stays so, also where the list of what there is was cut. */
const withChosen = (options: readonly Option[], chosen: readonly string[]): Option[] => [
  ...options,
  ...chosen
    .filter((text) => !options.some(({ value }) => String(value) === text))
    .map((text) => ({ value: text, label: text })),
]

const optionHtml = ({ value, label }: Option, chosen: string): Html =>
  html`<option value="${String(value)}"${String(value) === chosen ? html` selected` : null}>${label}</option>`

const isOn = (value: unknown): boolean => value === true || value === 'true'

const switchHtml = (field: OfKind<'switch'>, spot: Spot): Html =>
  html`<div class="field switch"><input type="hidden" name="${nameOf(spot)}" value="false"><label><input type="checkbox" id="${idOf(spot)}" name="${nameOf(spot)}" value="true"${isOn(spot.value === undefined ? field.default : spot.value) ? html` checked` : null}${describedBy(field, spot)}> ${field.label}</label>${errorHtml(spot)}${helpHtml(field, spot)}</div>`

const groupHtml = (field: OfKind<'group'>, spot: Spot): Html => {
  // Also in a form that changes something: nobody has filled in what is not there.
  const isFresh = spot.isFresh || spot.value === undefined || spot.value === null
  const within = inner(field.fields, { ...spot, isFresh })
  const tree = treeOf(spot.value)
  const onName = `${nameOf(spot)}._on`
  const isSet =
    tree['_on'] === undefined ? spot.value !== undefined && spot.value !== null : tree['_on'] === 'true'
  return html`<fieldset class="group"><legend>${field.label}</legend>${errorHtml(spot)}${helpHtml(field, spot)}${
    field.isNullable
      ? html`<div class="switch on"><input type="hidden" name="${onName}" value="false"><label><input type="checkbox" name="${onName}" value="true"${isSet ? html` checked` : null}> Set</label></div><div class="inner">${within}</div>`
      : within
  }</fieldset>`
}

const rowsHtml = (field: OfKind<'rows'>, spot: Spot): Html => {
  // What is needed begins with a row to fill in.
  const isBegun = spot.isFresh && field.isRequired
  const rows = Array.isArray(spot.value) ? spot.value : isBegun ? [{}] : []
  return html`<fieldset class="group"><legend>${field.label}${mark(field)}</legend>${errorHtml(spot)}${helpHtml(field, spot)}
${rows.map((row, position) => rowHtml(field, { ...spot, path: `${spot.path}.${position}`, value: row, isFresh: Object.keys(treeOf(row)).length === 0 }, position))}
<button class="second small" name="_do" value="add:${nameOf(spot)}" formnovalidate>Add to ${field.label.toLowerCase()}</button></fieldset>`
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

const rowHtml = ({ item, label }: OfKind<'rows'>, spot: Spot, position: number): Html =>
  html`<div class="row" role="group" aria-label="${label} ${position + 1}">${item.kind === 'group' ? rowFields(item.fields, spot) : null}${errorHtml(spot)}<button class="second small" name="_do" value="remove:${nameOf(spot)}" formnovalidate aria-label="Remove ${label.toLowerCase()} ${position + 1}">Remove</button></div>`

/** Where there is one private location, a new check runs there. */
const chosenIn = ({ name, options }: OfKind<'checkboxes'>, { value, isFresh }: Spot): unknown[] => {
  if (Array.isArray(value)) return value
  return isFresh && name === 'privateLocations' && options.length === 1
    ? options.map(({ value }) => value)
    : []
}

const checkboxesHtml = (field: OfKind<'checkboxes'>, spot: Spot): Html => {
  const chosen = new Set(chosenIn(field, spot).map((each) => String(treeOf(each)['id'] ?? each)))
  const boxes = withChosen(field.options, [...chosen]).map(
    ({ value, label }) =>
      html`<label><input type="checkbox" name="${nameOf(spot)}[]" value="${String(value)}"${chosen.has(String(value)) ? html` checked` : null}> ${label}</label>`,
  )
  return html`<fieldset class="group"><legend>${field.label}${mark(field)}</legend>${errorHtml(spot)}${helpHtml(field, spot)}${
    boxes.length === 0 ? html`<p class="quiet">There are none yet.</p>` : null
  }${boxes.length > 12 ? html`<details${chosen.size > 0 ? html` open` : null}><summary>${boxes.length} to choose from</summary><div class="boxes">${boxes}</div></details>` : html`<div class="boxes">${boxes}</div>`}</fieldset>`
}
