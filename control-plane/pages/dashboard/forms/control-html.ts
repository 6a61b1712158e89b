/** One control with its value: a list, a number, a text, a moment. What it has, or, where nobody was yet, what it would have. Pure. */
import { type Content, type Html, html } from '../../../platform/web/html/html.ts'
import { say } from '../../../platform/web/html/say.ts'
import { everyHtml, everyIn } from './every.ts'
import type { Field, Option } from './fields.ts'
import { type Tree, treeOf } from './read-body.ts'

/** Messages by the path of their field, without the prefix. */
type Errors = ReadonlyMap<string, readonly Content[]>
/** What cannot be parsed of a program, by the path of its field. */
export type Notes = ReadonlyMap<string, { line: number | null; message: string }>

export type FormState = {
  values: unknown
  errors: Errors
  notes?: Notes
  /** `body` or `query`: what the names of its fields begin with. */
  prefix: string
  /** Nobody has filled it in yet: what is not there has its default. */
  isFresh: boolean
}

/** `holder`: what its value is a part of. `isInLine`: its label is for those who hear it; it stands in one line with others. */
export type Spot = Omit<FormState, 'values'> & {
  path: string
  value: unknown
  holder: Tree
  isInLine?: boolean
}
export type OfKind<K extends Field['kind']> = Extract<Field, { kind: K }>

export const nameOf = ({ prefix, path }: Pick<Spot, 'prefix' | 'path'>): string => `${prefix}.${path}`
export const idOf = (spot: Pick<Spot, 'prefix' | 'path'>): string => `f-${nameOf(spot).replaceAll('.', '-')}`

export const describedBy = (field: Field, spot: Spot): Content => {
  const hasError = spot.errors.has(spot.path)
  const hasHelp = field.help !== '' && spot.isInLine !== true
  const ids = [
    ...(hasError ? [`${idOf(spot)}-error`] : []),
    ...(isProgram(field) ? [`${idOf(spot)}-note`] : []),
    ...(hasHelp ? [`${idOf(spot)}-help`] : []),
  ]
  return [
    ids.length === 0 ? null : html` aria-describedby="${ids.join(' ')}"`,
    hasError ? html` aria-invalid="true"` : null,
    spot.isInLine === true ? html` aria-label="${say(field.label)}"` : null,
  ]
}

type Control = OfKind<'select' | 'every' | 'number' | 'text' | 'lines' | 'json'>

export const controlHtml = (field: Control, spot: Spot): Html => {
  const common = html`id="${idOf(spot)}" name="${nameOf(spot)}"${describedBy(field, spot)}`
  if (field.kind === 'every') return everyOf(field, spot)
  if (field.kind === 'select') return selectHtml(field, spot, common)
  if (field.kind === 'number')
    return html`<input ${common} type="number" inputmode="decimal" step="${field.isWhole ? 1 : 'any'}"${field.min === null ? null : html` min="${field.min}"`}${field.max === null ? null : html` max="${field.max}"`} value="${shown(field, spot)}">`
  if (field.kind === 'text' && field.isInstant) return instantHtml(shown(field, spot), common)
  if (field.kind === 'lines')
    return html`<textarea ${common} rows="${field.name === 'tags' ? 2 : 3}" placeholder="One in each line">${linesOf(spot.value)}</textarea>`
  if (field.kind === 'json')
    return html`<textarea ${common} rows="4" class="mono" placeholder="JSON">${typeof spot.value === 'string' ? spot.value : spot.value === undefined ? '' : JSON.stringify(spot.value, null, 2)}</textarea>`
  return textHtml(field, spot, common)
}

const everyOf = (field: OfKind<'every'>, spot: Spot): Html =>
  everyHtml({
    id: idOf(spot),
    name: nameOf(spot),
    options: field.options,
    chosen: everyIn(spot.holder) ?? String(field.default ?? field.options.at(0) ?? ''),
    attributes: html`${describedBy(field, spot)}`,
  })

const shown = (field: Field, { value, isFresh }: Pick<Spot, 'value' | 'isFresh'>): string =>
  plain(value === undefined && isFresh ? field.default : value)
export const plain = (value: unknown): string => (value === undefined || value === null ? '' : String(value))
const linesOf = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : plain(value))

/** A browser's own way to choose a moment knows no zones: everything is in UTC here. What is none stays as it was written. */
const instantHtml = (text: string, common: Html): Html => {
  const at = Date.parse(/T[\d:.]+$/.test(text) ? `${text}Z` : text)
  if (text !== '' && Number.isNaN(at)) return html`<input ${common} type="text" value="${text}">`
  const value = text === '' ? '' : new Date(at).toISOString().replace(/(\.000)?Z$/, '')
  return html`<input ${common} type="datetime-local" step="any" value="${value}">`
}

/** Long and read by machines. */
const code = /script$|body|template|schema|^content$/i
/** Programs: an island gives them colours. */
const program = /script$|^content$/i

/** A text that is a program: it has a note beside it. */
export const isProgram = (field: Field): boolean => field.kind === 'text' && program.test(field.name)

export const holdsProgram = (field: Field): boolean =>
  field.kind === 'rows'
    ? holdsProgram(field.item)
    : field.kind === 'group'
      ? field.fields.some(holdsProgram)
      : isProgram(field)

const textHtml = (field: OfKind<'text'>, spot: Spot, common: Html): Html => {
  const longest = field.longest === null ? null : html` maxlength="${field.longest}"`
  const text = shown(field, spot)
  // A line feed after the tag is not part of the text, and an input has no lines.
  if (spot.isInLine === true && text.includes('\n'))
    return html`<textarea ${common} rows="2"${longest}>\n${text}</textarea>`
  if (spot.isInLine !== true && (field.isLong || program.test(field.name)))
    return html`<textarea ${common} rows="${code.test(field.name) ? 12 : 3}"${longest}${code.test(field.name) ? html` class="mono" spellcheck="false"` : null}${program.test(field.name) ? html` data-editor` : null}>\n${text}</textarea>`
  const hint = spot.isInLine === true ? say(field.label) : field.example
  return html`<input ${common} type="${field.isSecret ? 'password' : 'text'}"${field.isSecret ? html` autocomplete="new-password"` : html` autocomplete="off"`}${longest}${hint === '' ? null : html` placeholder="${hint}"`} value="${text}">`
}

const selectHtml = (field: OfKind<'select'>, spot: Spot, common: Html): Html => {
  // Something is always chosen in a list: where there is no value, not what happens to stand first.
  const chosen = shown(field, { ...spot, isFresh: true })
  const needsEmpty =
    field.isNullable || (chosen === '' && field.default === undefined && field.options.length !== 1)
  return html`<select ${common}>${needsEmpty ? html`<option value="">${field.isNullable ? say('none') : field.isRequired ? say('choose') : say('not set')}</option>` : null}${withChosen(field.options, chosen === '' ? [] : [chosen]).map((option) => optionHtml(option, chosen))}</select>`
}

/** What is chosen stays so, also where the list of what there is was cut. */
export const withChosen = (options: readonly Option[], chosen: readonly string[]): Option[] => [
  ...options,
  ...chosen
    .filter((text) => !options.some(({ value }) => String(value) === text))
    .map((text) => ({ value: text, label: text })),
]

const optionHtml = ({ value, label, said = label }: Option, chosen: string): Html =>
  html`<option value="${String(value)}"${String(value) === chosen ? html` selected` : null}>${said}</option>`

/** Of a list of things: theirs is an id, that of a subscription its channel. */
export const idIn = (each: unknown): string =>
  String(treeOf(each)['id'] ?? treeOf(each)['alertChannelId'] ?? each)
