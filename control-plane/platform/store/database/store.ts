/** What an engine's driver must do for the store: run prepared texts, in and outside of a transaction. */

import { isBooleanColumn, readBooleans } from './booleans.ts'
import { builderFor } from './builder.ts'
import type { Db } from './db.ts'
import type { Engine } from './engines.ts'
import { type PreparedQuery, prepare } from './query.ts'

export type Outcome = { rows: unknown[]; changes: number }

/** `one`: the caller needs only the first row. */
export type Statement = { prepared: PreparedQuery; params: Record<string, unknown>; one?: true }

export type Runner = (statement: Statement) => Promise<Outcome>

const none: Record<string, unknown> = {}

const rowsOf = async (run: Runner, statement: Statement): Promise<unknown[]> => {
  const { prepared } = statement
  const { rows } = await run(statement)
  const [first] = rows
  if (first === undefined) return rows
  prepared.booleans ??= Object.keys(first as object).filter(isBooleanColumn)
  readBooleans(rows, prepared.booleans)
  return rows
}

/**
 * A `Db` over a function that runs one statement. What it takes and gives was checked where the query was made (query.ts); drivers
 * know neither.
 */
export const dbOver = (engine: Engine, run: Runner): Db => ({
  engine,
  all: async (query, params) =>
    (await rowsOf(run, { prepared: query.compiled(engine), params: params as never })) as never,
  get: async (query, params) => {
    const [row] = await rowsOf(run, { prepared: query.compiled(engine), params: params as never })
    return row as never
  },
  run: async (query, params) => {
    const { changes } = await run({
      prepared: query.compiled(engine),
      params: params as never,
    })
    return changes
  },
  select: async (build) => {
    const prepared = prepare(build(builderFor(engine), engine).compile())
    return (await rowsOf(run, { prepared, params: none })) as never
  },
  execute: async (build) => {
    const prepared = prepare(build(builderFor(engine), engine).compile())
    const { changes } = await run({ prepared, params: none })
    return changes
  },
})
