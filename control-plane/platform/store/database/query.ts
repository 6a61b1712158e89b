import { createHash } from 'node:crypto'
import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import { requireOwnNames } from './booleans.ts'
import { builderFor } from './builder.ts'
import type { Engine } from './engines.ts'
import type { Tables } from './tables.ts'

/**
 * A query with named parameters. `build` is called once per engine with stand-ins for the parameters; the compiled text
 * and the order of the stand-ins are kept, so that running it costs a lookup and an array of values.
 *
 * `const findThing = query('find-thing', (k, p: { id: string }) => k.selectFrom('things').selectAll().where('id', '=', p.id))`
 */
export type Query<P, R> = {
  readonly name: string
  readonly compiled: (engine: Engine) => PreparedQuery
  /** Phantom fields that carry the types; never present at run time. */
  readonly params?: P
  readonly row?: R
}

export type PreparedQuery = {
  sql: string
  /** Of the query; null for one that is built at every call. */
  name: string | null
  /** Set for a query that is worth a named prepared statement; at most 63 bytes, one name per text. */
  statement: string | null
  /** False for a plain SELECT: it may run on a reading connection. */
  writes: boolean
  values: (params: Record<string, unknown>) => unknown[]
  /** Which columns of its rows are booleans; known once there was a row. */
  booleans?: readonly string[]
}

/** Stands for a value that is not known yet: an expression over it would be evaluated once, for all calls. */
class Parameter {
  readonly key: string
  constructor(key: string) {
    this.key = key
  }
  [Symbol.toPrimitive](): never {
    throw new Error(`Query parameter ${this.key} is used in an expression: hand its value over`)
  }
}

const standIns = new Proxy({}, { get: (_, key) => new Parameter(String(key)) })

export const query = <P, R>(
  name: string,
  build: (k: Kysely<Tables>, params: P, engine: Engine) => Compilable<R>,
): Query<P, R> => {
  const perEngine = new Map<Engine, PreparedQuery>()
  return {
    name,
    compiled: (engine) => {
      const known = perEngine.get(engine)
      if (known) return known
      const prepared = prepare(build(builderFor(engine), standIns as P, engine).compile(), name)
      perEngine.set(engine, prepared)
      return prepared
    },
  }
}

export const prepare = (compiled: CompiledQuery, name: string | null = null): PreparedQuery => {
  requireOwnNames(compiled.query)
  const slots = compiled.parameters.map((value) =>
    value instanceof Parameter ? { key: value.key } : { constant: toColumn(value) },
  )
  return {
    sql: compiled.sql,
    name,
    statement: name === null ? null : `${name.slice(0, 40)}-${digest(compiled.sql)}`,
    writes: compiled.query.kind !== 'SelectQueryNode',
    values: (params) =>
      slots.map((slot) => ('key' in slot ? toColumn(params[slot.key], slot.key) : slot.constant)),
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/**
 * Both drivers take numbers, text, bytes and null: a boolean is 0 or 1, and a list one text (engines.ts `textList`).
 * `undefined` would silently become NULL: it is a mistake of ours.
 */
const toColumn = (value: unknown, key = 'a constant'): unknown => {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (Array.isArray(value)) return JSON.stringify(value)
  if (value === undefined) throw new Error(`Query parameter ${key} is undefined`)
  return value
}
