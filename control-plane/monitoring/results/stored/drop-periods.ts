/**
 * Tables of periods that are over. Their period's row went before, with all that had to be copied: whatever was killed in
 * between, a table without a period is only room. What SQLite drops it reads, so what is large is emptied in pieces first.
 */
import { sql } from 'kysely'
import type { App } from '../../../platform/app/app.ts'
import { firstSize, nextSize, pieceMsOf } from '../../../platform/long-reads/piece-size.ts'
import { letOthers } from '../../../platform/retention/walk.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import { change, selectRows } from '../../../platform/store/database/raw-sql.ts'
import {
  indexesOf,
  type ResultTable,
  resultTables,
  tableOf,
} from '../../../platform/store/database/schema/period-tables.ts'
import { periodTableNames } from './period-table-names.ts'

const allPeriods = query('all-result-periods', (k, _: Record<string, never>) =>
  k.selectFrom('result_periods').select(['n', 'has_details']),
)

type EndedTable = { table: ResultTable; suffix: string }

/** In a tick of a loop; it goes on with the next one where it was. */
export const dropEndedTables = async (app: App, signal: AbortSignal): Promise<void> => {
  for (const ended of await endedTables(app.db)) {
    if (signal.aborted) return
    if (app.db.engine.name === 'sqlite') await dropFromFile(app, ended, signal)
    else await dropPartition(app, ended)
  }
}

const endedTables = async (db: Db): Promise<EndedTable[]> => {
  const names = await periodTableNames(db)
  const periods = new Map((await db.all(allPeriods, {})).map(({ n, has_details }) => [n, has_details]))
  return resultTables.flatMap((table) =>
    names.flatMap((name) => {
      const n = name.startsWith(`${table}_`) ? Number(name.slice(table.length + 1)) : Number.NaN
      if (!Number.isInteger(n)) return []
      const isNeeded = table === 'result_details' ? periods.get(n) === 1 : periods.has(n)
      return isNeeded ? [] : [{ table, suffix: `_${n}` }]
    }),
  )
}

/** Rows of a table that may be dropped at once. */
const droppedAtOnce: Record<ResultTable, number> = {
  result_rows: 300_000,
  result_docs: 2000,
  result_blocks: 5000,
  result_details: 5000,
}

const dropFromFile = async (app: App, { table, suffix }: EndedTable, signal: AbortSignal): Promise<void> => {
  for (const index of indexesOf(table, suffix)) {
    await change(app.db, sql.raw(`drop index if exists ${index}`))
    await nextTurn()
  }
  const name = tableOf(table, suffix)
  let size = firstSize
  while (!signal.aborted && (await isLarge(app.db, { table, name }))) {
    const startedAt = app.clock.monotonic()
    await change(app.db, firstRowsOf({ table, name }, size))
    const tookMs = app.clock.monotonic() - startedAt
    size = nextSize(size, { tookMs, pieceMs: pieceMsOf(app.db.engine) })
    await letOthers(app, tookMs, signal)
  }
  if (!signal.aborted) await change(app.db, sql`drop table ${sql.table(name)}`)
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

type NamedTable = { table: ResultTable; name: string }

const isLarge = async (db: Db, { table, name }: NamedTable): Promise<boolean> => {
  const max = droppedAtOnce[table]
  const beyond =
    table === 'result_rows'
      ? sql`select 1 as more from ${sql.table(name)} limit 1 offset ${max}`
      : // Each by itself: both in one `select` would read the whole table.
        sql`select 1 as more from (select (select max(rowid) from ${sql.table(name)}) -
          (select min(rowid) from ${sql.table(name)}) as span) where span >= ${max}`
  return (await selectRows(db, beyond)).length > 0
}

const firstRowsOf = ({ table, name }: NamedTable, size: number) =>
  table === 'result_rows'
    ? sql`delete from ${sql.table(name)} where id <= (select id from ${sql.table(name)} order by id limit 1 offset ${size})`
    : sql`delete from ${sql.table(name)} where rowid < (select min(rowid) from ${sql.table(name)}) + ${size}`

/** What stands in its way is left for the next turn: a transaction that reads for long, or another control plane at the same. */
const passing = new Set(['55P03', '57014', '55000', '42P01', '40P01'])

const dropPartition = async ({ db, log }: App, { table, suffix }: EndedTable): Promise<void> => {
  const name = tableOf(table, suffix)
  try {
    const [attached] = await selectRows<{ pending: boolean }>(
      db,
      sql`select inhdetachpending as pending from pg_inherits where inhrelid = to_regclass(${name})`,
    )
    // Alone: behind a pooler that gives connections by transaction a statement is one otherwise.
    if (attached !== undefined)
      await db.runAlone(
        `alter table ${table} detach partition ${name} ${attached.pending ? 'finalize' : 'concurrently'}`,
      )
    await change(db, sql.raw(`drop table if exists ${name}`))
  } catch (error) {
    if (!passing.has(String((error as { code?: unknown }).code))) throw error
    log.warn({ table: name, error: (error as Error).message }, 'A partition of old results is dropped later')
  }
}
