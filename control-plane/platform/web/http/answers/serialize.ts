/**
 * Copies from a value what its schema declares and leaves out the rest, so that a field nobody declared (a hash, a
 * secret, an internal id) never leaves the program. Compiled once per schema into closures; `JSON.stringify` does the text.
 */
import { Readable } from 'node:stream'
import { type TSchema, type TUnsafe, Type } from 'typebox'
import { compile } from '../../../../../protocol/validate.ts'

type Pick = (value: unknown) => unknown

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  const?: unknown
}

const asItIs: Pick = (value) => value

export const pickerFor = (schema: TSchema): Pick => picker(schema as Schema)

const picker = (schema: Schema): Pick => {
  if (schema.anyOf) return pickUnion(schema.anyOf)
  if (schema.items) return pickItems(schema.items)
  if (schema.patternProperties) return pickRecord(schema.patternProperties)
  if (schema.properties) return pickProperties(schema.properties, schema.additionalProperties)
  return asItIs
}

const pickProperties = (properties: Record<string, Schema>, rest: boolean | Schema | undefined): Pick => {
  const known = Object.entries(properties).map(([name, schema]) => ({ name, pick: picker(schema) }))
  const pickRest = rest === true ? asItIs : typeof rest === 'object' ? picker(rest) : null
  return (value) => {
    if (!isObject(value)) return value
    const picked: Record<string, unknown> = {}
    for (const { name, pick } of known) {
      const inner = value[name]
      if (inner !== undefined) picked[name] = pick === asItIs ? inner : pick(inner)
    }
    if (pickRest !== null)
      for (const name of Object.keys(value)) if (!(name in properties)) picked[name] = pickRest(value[name])
    return picked
  }
}

const pickItems = (items: Schema): Pick => {
  const pick = picker(items)
  return pick === asItIs ? asItIs : (value) => (Array.isArray(value) ? value.map(pick) : value)
}

const pickRecord = (patterns: Record<string, Schema>): Pick => {
  const rules = Object.entries(patterns).map(([pattern, schema]) => ({
    pattern: new RegExp(pattern, 'u'),
    pick: picker(schema),
  }))
  if (rules.every(({ pick }) => pick === asItIs)) return asItIs
  return (value) => {
    if (!isObject(value)) return value
    const picked: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      const rule = rules.find(({ pattern }) => pattern.test(name))
      if (rule) picked[name] = rule.pick(value[name])
    }
    return picked
  }
}

/** The one branch that declares fields needs no choice; several are told apart by a constant field, else by validating. */
const pickUnion = (branches: Schema[]): Pick => {
  const picks = branches.map((schema) => ({ schema, pick: picker(schema) }))
  const structured = picks.filter(({ pick }) => pick !== asItIs)
  if (structured.length === 0) return asItIs
  const [only] = structured
  if (structured.length === 1 && only)
    return (value) => (value !== null && typeof value === 'object' ? only.pick(value) : value)
  const tag = tagOf(structured.map(({ schema }) => schema))
  if (tag !== undefined) {
    const byTag = new Map(structured.map(({ schema, pick }) => [schema.properties?.[tag]?.const, pick]))
    return (value) => (isObject(value) ? byTag.get(value[tag])?.(value) : value)
  }
  const choices = structured.map(({ schema, pick }) => ({ fits: compile(schema as TSchema), pick }))
  return (value) => {
    if (value === null || typeof value !== 'object') return value
    return choices.find(({ fits }) => fits(value).ok)?.pick(value)
  }
}

/** A property that is a different constant in every branch. */
export const tagOf = (branches: Schema[]): string | undefined =>
  Object.keys(branches[0]?.properties ?? {}).find((name) => {
    const constants = branches.map((branch) => branch.properties?.[name]?.const)
    return !constants.includes(undefined) && new Set(constants).size === branches.length
  })

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Answers that are sent as they are: text or bytes that are written already, or a stream of them. */
export type Bytes = string | Buffer | Readable

/** `schema`: what the bytes are for whoever reads them, which OpenAPI says. */
export const sentAsIs = (schema: TSchema = Type.String()): TUnsafe<Bytes> => Type.Unsafe<Bytes>(schema)

export const isSentAsIs = (body: unknown): body is Buffer | Readable =>
  body instanceof Readable || Buffer.isBuffer(body)
