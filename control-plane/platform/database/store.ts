/** What an engine's driver must do for the store: run prepared texts, in and outside of a transaction. */

import { builderFor } from './builder.ts'
import type { Db } from './db.ts'
import type { Engine } from './engines.ts'
import { type PreparedQuery, prepare } from './query.ts'

export type Outcome = { rows: unknown[]; changes: number }

/** `one`: the caller needs only the first row. */
export type Statement = { prepared: PreparedQuery; params: Record<string, unknown>; one?: true }

export type Runner = (statement: Statement) => Promise<Outcome>

const none: Record<string, unknown> = {}

/** A `Db` over a function that runs one statement. */
export const dbOver = (engine: Engine, run: Runner): Db => ({
  engine,
  all: async (query, params) => {
    const { rows } = await run({
      prepared: query.compiled(engine),
      params: params as never,
    })
    return rows as never
  },
  get: async (query, params) => {
    const { rows } = await run({
      prepared: query.compiled(engine),
      params: params as never,
    })
    return rows[0] as never
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
    const { rows } = await run({ prepared, params: none })
    return rows as never
  },
  execute: async (build) => {
    const prepared = prepare(build(builderFor(engine), engine).compile())
    const { changes } = await run({ prepared, params: none })
    return changes
  },
})
