/** Periods are made ahead: a day each, and on SQLite shorter where so much comes in that dropping one would take too long. */
import { sql } from 'kysely'
import { nextNumber } from '../../../platform/store/database/counters.ts'
import type { Database, Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import { change, selectRows } from '../../../platform/store/database/raw-sql.ts'
import {
  createPartition,
  createPeriodTables,
  resultTables,
  tableOf,
} from '../../../platform/store/database/schema/period-tables.ts'
import type { ResultPeriodsTable } from '../../../platform/store/database/tables/results.ts'
import { firstIdAt } from '../../../platform/words/uuid.ts'
import { periodTableNames } from './period-table-names.ts'
import { storedId } from './small-row.ts'

const dayMs = 86_400_000
/** Ready before they are needed: nothing has to wait for a new table, and a control plane may be away for a while. */
const daysAhead = 3

/** Dropping a table of SQLite reads all its pages: a quarter of a million rows are 15 ms. */
const largestPeriod = 250_000
/** No id of later than this is there yet. */
const cutAheadMs = 60_000

const lastPeriod = query('last-result-period', (k, _: Record<string, never>) =>
  k.selectFrom('result_periods').select('to_at').orderBy('from_at', 'desc').limit(1),
)

type NewPeriod = { n: number; from: number; to: number; oldest: number | null; newest: number | null }

const insertPeriod = query('insert-result-period', (k, p: NewPeriod) =>
  k.insertInto('result_periods').values({
    n: p.n,
    from_at: p.from,
    to_at: p.to,
    oldest_at: p.oldest,
    newest_at: p.newest,
    results: 0,
    packed_until: p.from,
    has_details: 1,
    closed: 0,
  }),
)

const largePeriod = query('large-result-period', (k, p: { now: number; min: number }) =>
  k
    .selectFrom('result_periods')
    .selectAll()
    .where('from_at', '<=', p.now)
    .where('to_at', '>', p.now)
    .where('results', '>=', p.min),
)

const endPeriodAt = query('end-result-period-at', (k, p: { n: number; at: number }) =>
  k.updateTable('result_periods').set({ to_at: p.at }).where('n', '=', p.n),
)

type PeriodOptions = { now: number; largest?: number }

export const makePeriods = async (
  db: Database,
  { now, largest = largestPeriod }: PeriodOptions,
): Promise<void> => {
  if (await areAhead(db, now)) return cutLargePeriod(db, { now, largest })
  await db.transaction(async (trx) => {
    await lockPeriods(trx)
    const today = Math.floor(now / dayMs) * dayMs
    const last = await trx.get(lastPeriod, {})
    let from = Math.max(today, last?.to_at ?? 0)
    while (from < today + (daysAhead + 1) * dayMs) {
      const to = (Math.floor(from / dayMs) + 1) * dayMs
      await makePeriod(trx, { from, to })
      from = to
    }
  })
  await cutLargePeriod(db, { now, largest })
}

const areAhead = async (db: Db, now: number): Promise<boolean> => {
  const last = await db.get(lastPeriod, {})
  return last !== undefined && last.to_at >= (Math.floor(now / dayMs) + 1 + daysAhead) * dayMs
}

/** Two control planes at once would make the same period twice. */
const lockPeriods = async (trx: Db): Promise<void> => {
  if (trx.engine.shared)
    await selectRows(trx, sql`select 1 as held from pg_advisory_xact_lock(${sql.lit(lockKey)})`)
}
const lockKey = 7_270_029

/** Tables of a period that is over may still be there. */
const freeNumber = async (trx: Db): Promise<number> => {
  const taken = new Set(await periodTableNames(trx))
  let n = await nextNumber(trx, 'result-period')
  while (taken.has(tableOf('result_rows', `_${n}`))) n = await nextNumber(trx, 'result-period')
  return n
}

const makePeriod = async (trx: Db, { from, to }: { from: number; to: number }): Promise<void> => {
  const n = await freeNumber(trx)
  const bounds = { firstId: firstIdAt(from), endId: firstIdAt(to) }
  const statements = trx.engine.partitions
    ? resultTables.flatMap((table) => createPartition(table, `_${n}`, bounds))
    : createPeriodTables(trx.engine.name, `_${n}`)
  // PostgreSQL takes them in one round trip.
  const texts = trx.engine.shared ? [statements.join('; ')] : statements
  for (const text of texts) await change(trx, sql.raw(text))
  // Of a partition it is said beforehand, and changed only where it is not so (insert-results.ts).
  const starts = trx.engine.partitions ? { oldest: from, newest: to - 1 } : { oldest: null, newest: null }
  await trx.run(insertPeriod, { n, from, to, ...starts })
}

/** What follows goes to a period of its own, as long as the rest of the day. */
const cutLargePeriod = async (
  db: Database,
  { now, largest }: { now: number; largest: number },
): Promise<void> => {
  if (db.engine.partitions) return
  const period = await db.get(largePeriod, { now, min: largest })
  const at = now + cutAheadMs
  if (period === undefined || at >= period.to_at) return
  await db.transaction(async (trx) => {
    if (await hasIdsFrom(trx, period, at)) return
    await trx.run(endPeriodAt, { n: period.n, at })
    await makePeriod(trx, { from: at, to: period.to_at })
  })
}

const hasIdsFrom = async (trx: Db, { n }: ResultPeriodsTable, at: number): Promise<boolean> => {
  const rows = sql.table(tableOf('result_rows', `_${n}`))
  const first = storedId(trx.engine, firstIdAt(at))
  return (await selectRows(trx, sql`select 1 as one from ${rows} where id >= ${first} limit 1`)).length > 0
}
