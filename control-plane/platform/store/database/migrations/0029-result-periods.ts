/**
 * Results in periods: small rows without text, their documents apart. On SQLite each period has tables of its own, on
 * PostgreSQL partitions by day; `…_kept` hold what outlives its period and what is in none. Rows of before stay where they
 * are, in `results`, until they end by their age.
 */
import { sql } from 'kysely'
import { builderFor } from '../builder.ts'
import type { Db } from '../db.ts'
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'
import { createPeriodTables } from '../period-tables.ts'

export const resultPeriods: string[] = [
  table(
    'check_numbers',
    { n: integer, check_id: text, account_id: text, check_type: text },
    primaryKey('n'),
    'unique (check_id)',
  ),
  table('location_numbers', { n: integer, name: text }, primaryKey('n'), 'unique (name)'),
  table(
    'result_periods',
    {
      n: integer,
      from_at: integer,
      to_at: integer,
      oldest_at: nullable(integer),
      newest_at: nullable(integer),
      results: integer,
      packed_until: integer,
      has_details: integer,
      closed: integer,
    },
    primaryKey('n'),
  ),
  index('result_periods_from', 'result_periods (from_at)', { unique: true }),
]

/** What is kept is never packed. */
const keptTables = ['result_rows', 'result_docs'] as const

export const createKept = async (trx: Db): Promise<void> => {
  const run = (statement: string): Promise<number> =>
    trx.execute(() => ({ compile: () => sql.raw(statement).compile(builderFor(trx.engine)) }))
  for (const statement of createPeriodTables(trx.engine.name, '_kept', keptTables)) await run(statement)
  if (trx.engine.partitions)
    for (const statement of createPeriodTables(trx.engine.name, '')) await run(statement)
}
