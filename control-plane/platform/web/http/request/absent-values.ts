/**
 * How clients say that they have no value. Generated ones send every field they know: `null` for an empty list, `""` for a
 * text that nobody filled in. Before a body is validated,
 *
 * - `null` for a list is the empty list;
 * - `""` is no value for a text that may be left out: null where it takes null, otherwise left out;
 * - a word of an enumeration in any case is that word, where the schema says so.
 *
 * A value that the field takes stays what it is.
 */
import type { TSchema } from 'typebox'
import { isAlwaysThere, isAnyCase } from '../../../words/shapes/optional-fields.ts'

type Schema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  minLength?: number
  pattern?: string
  format?: string
  default?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  allOf?: Array<{ if?: Schema; then?: Schema }>
}

/** Changes the value in place. */
type Mend = (value: unknown) => void
type Field = {
  name: string
  isList: boolean
  emptyText: 'keep' | 'leave out' | 'null'
  anyCase: boolean
  mend: Mend
}

export const mendAbsentValues = (schema: TSchema): Mend => mender(schema as Schema)

const nothing: Mend = () => undefined

const mender = (schema: Schema): Mend => {
  if (schema.items) return mendItems(mender(schema.items))
  const steps = [mendFields(schema), ...(schema.allOf ?? []).map(mendWhere)].filter(
    (step) => step !== nothing,
  )
  if (steps.length === 0) return nothing
  return (value) => {
    for (const mend of steps) mend(value)
  }
}

const mendItems = (mend: Mend): Mend =>
  mend === nothing
    ? nothing
    : (value) => {
        if (Array.isArray(value)) value.forEach(mend)
      }

const mendFields = ({ properties = {}, required = [] }: Schema): Mend => {
  const isOptional = (name: string, schema: Schema): boolean =>
    (!required.includes(name) || schema.default !== undefined) && !isAlwaysThere(schema)
  const fields = Object.entries(properties)
    .map(([name, schema]) => fieldOf(name, schema, isOptional(name, schema)))
    .filter((field) => field.isList || field.anyCase || field.emptyText !== 'keep' || field.mend !== nothing)
  if (fields.length === 0) return nothing
  return (value) => {
    if (isObject(value)) for (const field of fields) mendField(value, field)
  }
}

const mendField = (
  holder: Record<string, unknown>,
  { name, isList, emptyText, anyCase, mend }: Field,
): void => {
  if (!Object.hasOwn(holder, name)) return
  const value = holder[name]
  if (value === null && isList) holder[name] = []
  else if (value === '' && emptyText === 'leave out') delete holder[name]
  else if (value === '' && emptyText === 'null') holder[name] = null
  else if (anyCase && typeof value === 'string') holder[name] = value.toUpperCase()
  else mend(value)
}

/** The part of a schema that counts only where another field has a value: the config of a channel by its type. */
const mendWhere = ({ if: condition, then }: { if?: Schema; then?: Schema }): Mend => {
  const mend = then ? mender(then) : nothing
  const constants = Object.entries(condition?.properties ?? {})
  if (mend === nothing || constants.length === 0) return nothing
  return (value) => {
    if (isObject(value) && constants.every(([name, schema]) => value[name] === schema.const)) mend(value)
  }
}

const fieldOf = (name: string, schema: Schema, isOptional: boolean): Field => ({
  name,
  isList: typesOf(schema).includes('array') && !takesNull(schema),
  emptyText:
    isOptional && isText(schema) && !takesEmptyText(schema)
      ? takesNull(schema)
        ? 'null'
        : 'leave out'
      : 'keep',
  anyCase: isAnyCase(schema),
  mend: mender(schema),
})

const isText = (schema: Schema): boolean => {
  const types = typesOf(schema)
  return types.includes('string') && types.every((type) => type === 'string' || type === 'null')
}

const typesOf = ({ type, anyOf, enum: values = [] }: Schema): string[] => {
  if (anyOf !== undefined) return anyOf.flatMap(typesOf)
  if (type !== undefined) return Array.isArray(type) ? type : [type]
  return [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))]
}

const takesNull = (schema: Schema): boolean => typesOf(schema).includes('null')

/** No format that the API knows is that of an empty text. */
const takesEmptyText = ({ anyOf, enum: values, minLength = 0, pattern, format, ...rest }: Schema): boolean =>
  anyOf?.some(takesEmptyText) ??
  ((values === undefined || values.includes('')) &&
    !('const' in rest) &&
    minLength === 0 &&
    format === undefined &&
    (pattern === undefined || new RegExp(pattern, 'u').test('')))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
