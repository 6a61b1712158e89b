/** Statements about tables whose names are known when they run: written as text, with the values beside it. */
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { builderFor } from './builder.ts'
import type { Db } from './db.ts'

/** Rows of a `select`; outside of a transaction it sees nothing that is not committed. */
export const selectRows = <R>(db: Db, statement: RawBuilder<unknown>): Promise<R[]> =>
  db.select<R>((k) => k.selectFrom(sql`(${statement})`.as('found')).selectAll().$castTo<R>())

/** Changed rows of anything else. */
export const change = (db: Db, statement: RawBuilder<unknown>): Promise<number> =>
  db.execute((_, engine) => ({
    compile: () => statement.compile(builderFor(engine)) as CompiledQuery<unknown>,
  }))
