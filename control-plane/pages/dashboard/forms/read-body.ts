/**
 * From what a form sent to the body that the API takes. A form shows all fields, so one that is not there was left empty: null where
 * null means nothing, an empty list or text where that is allowed. What is wrong stays as it is, for the API to say so.
 */
import type { Violation } from '../../../../protocol/validate.ts'
import { parseJson } from '../../../platform/web/http/request/json-text.ts'
import { ApiError } from '../../../platform/words/errors.ts'
import { everyBody, everyIn } from './every.ts'
import type { Field, Option } from './fields.ts'

export type Tree = Readonly<Record<string, unknown>>

type ReadForm = { body: Record<string, unknown>; violations: Violation[] }

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const treeOf = (value: unknown): Tree => (isTree(value) ? value : {})

export const readBody = (fields: readonly Field[], tree: Tree): ReadForm => {
  const violations: Violation[] = []
  return { body: readGroup(fields, tree, { path: '', violations }), violations }
}

type ReadContext = { path: string; violations: Violation[] }

const readGroup = (
  fields: readonly Field[],
  tree: Tree,
  { path, violations }: ReadContext,
): Record<string, unknown> => {
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    if (field.kind === 'every') {
      Object.assign(body, everyBody(everyIn(tree)))
      continue
    }
    const context = { path: path === '' ? field.name : `${path}.${field.name}`, violations }
    const isEmptied = isStoredSecret(field) && tree[emptiedName(field)] === 'true'
    const value = isEmptied ? null : readField(field, tree[field.name], context)
    if (value !== undefined) body[field.name] = value
  }
  return body
}

const readField = (
  field: Exclude<Field, { kind: 'every' }>,
  sent: unknown,
  context: ReadContext,
): unknown => {
  switch (field.kind) {
    case 'group':
      return readNested(field, sent, context)
    case 'rows':
      return rowsIn(sent).map((row, position) =>
        field.item.kind === 'group'
          ? readGroup(field.item.fields, treeOf(row), { ...context, path: `${context.path}.${position}` })
          : row,
      )
    case 'translations':
      return translationsIn(field, sent)
    case 'lines':
      return linesIn(sent)
    case 'checkboxes':
      return listIn(sent).map((text) => (field.isOfReferences ? { id: text } : chosenOf(field.options, text)))
    case 'channels':
      return listIn(sent).map((text) => ({
        alertChannelId: chosenOf(field.options, text),
        activated: true,
      }))
    case 'json':
      return jsonIn(sent, field, context)
    default:
      return readOne(field, sent)
  }
}

/** What is empty falls back, and is not said. */
const translationsIn = ({ fields, langs }: OfKind<'translations'>, sent: unknown): Tree =>
  Object.fromEntries(
    langs.flatMap((lang) => {
      const tree = treeOf(treeOf(sent)[lang])
      const said = fields.flatMap(({ name }) =>
        String(tree[name] ?? '').trim() === '' ? [] : [[name, tree[name]]],
      )
      return said.length === 0 ? [] : [[lang, Object.fromEntries(said)]]
    }),
  )

/** Whether an optional block is there: by the box of its form, or because it has a value. */
export const isSetBlock = (value: unknown): boolean => {
  const on = treeOf(value)['_on']
  return on === undefined ? value !== undefined && value !== null : on === 'true'
}

type OfKind<K extends Field['kind']> = Extract<Field, { kind: K }>

const readNested = (field: OfKind<'group'>, sent: unknown, context: ReadContext): unknown => {
  const tree = treeOf(sent)
  if (field.isNullable && tree['_on'] !== 'true') return null
  const body = readGroup(field.fields, tree, context)
  return field.isLeftOut && saysDefaults(field.fields, body) ? undefined : body
}

const saysDefaults = (fields: readonly Field[], body: Tree): boolean =>
  fields.every((field) => field.default !== undefined && String(body[field.name]) === String(field.default))

const readOne = (field: OfKind<'select' | 'switch' | 'number' | 'text'>, sent: unknown): unknown => {
  if (sent === undefined || sent === '') {
    if (field.kind === 'switch') return false
    if (isStoredSecret(field)) return undefined
    if (field.isNullable) return null
    return field.kind === 'text' && field.mayBeEmpty ? '' : undefined
  }
  if (field.kind === 'switch') return sent === 'true'
  if (field.kind === 'select') return chosenOf(field.options, String(sent))
  return field.kind === 'text' && field.isInstant ? instantOf(String(sent)) : sent
}

/** What a browser's way to choose a moment says, with the zone that the form names: `2026-01-31T08:30`. */
const instantOf = (text: string): string => {
  const [, minutes, seconds = ':00'] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?$/.exec(text) ?? []
  return minutes === undefined ? text : `${minutes}${seconds}Z`
}

/** A secret is never shown, so that a field of one is empty also where there is one: emptied is what its box says. */
export const isStoredSecret = (field: Field): boolean =>
  field.kind === 'text' && field.isSecret && field.isNullable

/** The box beside a secret that takes it away. */
export const emptiedName = ({ name }: Pick<Field, 'name'>): string => `${name}_emptied`

const chosenOf = (options: readonly Option[], text: string): unknown => {
  const option = options.find(({ value }) => String(value) === text)
  return option === undefined ? text : option.value
}

export const rowsIn = (sent: unknown): unknown[] => (Array.isArray(sent) ? sent : [])

const listIn = (sent: unknown): string[] =>
  Array.isArray(sent) ? sent.map(String) : sent === undefined ? [] : [String(sent)]

const linesIn = (sent: unknown): string[] =>
  String(sent ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const jsonIn = (sent: unknown, { isNullable }: Field, { path, violations }: ReadContext): unknown => {
  if (sent === undefined || sent === '') return isNullable ? null : undefined
  try {
    return parseJson(Buffer.from(String(sent)))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    violations.push({ path, rule: 'json', message: error.message })
    return undefined
  }
}
