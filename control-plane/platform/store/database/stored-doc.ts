/**
 * JSON in a column, with one codec per column: `read` gives what this version of the program works with, `write` what it
 * stores. A codec lies beside the slice that owns the document; nobody else parses it (docs/decisions/store.md).
 *
 * Reading costs a parse and a look at a few fields: it fills in the defaults of the schema and validates nothing. That
 * what is written fits the schema is for tests to say (test/support/stored-columns.ts).
 */
import type { Static, TSchema } from 'typebox'

/** `W`: what may be left out when it is written, because the defaults say it. */
export type StoredText<T, W = T> = {
  /** As errors name it. */
  readonly name: string
  readonly schema: TSchema
  /** @throws Error for what a newer version wrote */
  read(text: string): T
  write(value: W): string
}

type Definition<S extends TSchema> = {
  name: string
  /** Of an object. Fields that an older program did not write have a `default`. */
  schema: S
  /** Grows when older programs would misread what is written; a new field with a default does not need that. */
  version?: number
  /** From the shape of an older version to that of this one. */
  upgrade?(doc: Doc, from: number): object
}

type Doc = Record<string, unknown>

/** The first version of a document says no version: its rows are older than versions are. */
const firstVersion = 1

export const storedDoc = <S extends TSchema, T extends object = Static<S> & object, W extends object = T>({
  name,
  schema,
  version = firstVersion,
  upgrade,
}: Definition<S>): StoredText<T, W> => {
  if (version > firstVersion && upgrade === undefined)
    throw new Error(`The stored ${name} of version ${version} needs a way up from older ones`)
  const fill = filler(schema)
  const current = ({ v = firstVersion, ...doc }: Doc): object => {
    if (typeof v !== 'number' || v > version)
      throw new Error(`A stored ${name} has version ${v}, and this program knows none above ${version}`)
    return v === version || upgrade === undefined ? doc : upgrade(doc, v)
  }
  return {
    name,
    schema,
    read: (text) => {
      const doc = JSON.parse(text) as Doc
      return fill(version === firstVersion && doc['v'] === undefined ? doc : current(doc)) as T
    },
    write: (value) => JSON.stringify(version === firstVersion ? value : { v: version, ...value }),
  }
}

/** A column that is only a list. What follows this format one day is an object, which this program refuses. */
export const storedList = <S extends TSchema>({
  name,
  items,
}: {
  name: string
  items: S
}): StoredText<Static<S>[]> => ({
  name,
  schema: { type: 'array', items } as TSchema,
  read: (text) => {
    const list: unknown = JSON.parse(text)
    if (!Array.isArray(list)) throw new Error(`The stored ${name} are no list, as this program knows them`)
    return list
  },
  write: (list) => JSON.stringify(list),
})

type Fill = (doc: object) => object
type Field = { name: string; otherwise: unknown; fill: Fill | null }
type ObjectSchema = { properties?: Record<string, { default?: unknown }> }

/** Fills in what is missing, also inside of objects, and returns the same document. */
const filler = (schema: TSchema): Fill => {
  const fields = fieldsWithDefaults(schema as ObjectSchema)
  return (doc) => {
    const target = doc as Doc
    for (const { name, otherwise, fill } of fields) {
      const value = target[name]
      if (value === undefined) {
        if (otherwise !== undefined) target[name] = otherwise
      } else if (fill !== null && typeof value === 'object' && value !== null) fill(value)
    }
    return doc
  }
}

const fieldsWithDefaults = ({ properties = {} }: ObjectSchema): Field[] =>
  Object.entries(properties).flatMap(([name, property]) => {
    const inner = fieldsWithDefaults(property as ObjectSchema)
    const fill = inner.length > 0 ? filler(property as TSchema) : null
    const { default: plain } = property
    const otherwise = fill && isObject(plain) ? fill({ ...plain }) : plain
    return otherwise === undefined && fill === null ? [] : [{ name, otherwise: frozen(otherwise), fill }]
  })

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** All documents share their defaults: whoever changed one in place would change them everywhere. */
const frozen = (value: unknown): unknown => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
  return value
}
