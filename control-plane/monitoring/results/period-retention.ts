/**
 * A period of results ends whole: what outlives it is copied, its files expire, then its row goes, and from that moment
 * nobody reads its tables, which are dropped afterwards. Each step may be done twice.
 */
import { sql } from 'kysely'
import type { PieceDone, PieceOrder } from '../../platform/retention/retention-kind.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { selectRows } from '../../platform/store/database/raw-sql.ts'
import { tableOf } from '../../platform/store/database/schema/period-tables.ts'
import type { CheckNumbersTable, ResultPeriodsTable } from '../../platform/store/database/tables/results.ts'
import { firstIdAt } from '../../platform/words/uuid.ts'
import { resultsEnd, startsAfterMs } from './raw-since.ts'
import { idList } from './stored/documents.ts'
import { keepResult } from './stored/insert-results.ts'
import { someDocumented } from './stored/list-results.ts'
import { checkOfNumber } from './stored/packable.ts'
import type { ResultWithDoc } from './stored/result.ts'
import { idOf, type StoredId } from './stored/small-row.ts'

/** Instants of a check's failing results that stay for another reason. */
export type AlsoRetained = (db: Db, checkId: string) => Promise<number[]>

const allEnded = query('ended-result-periods', (k, p: { before: number }) =>
  k.selectFrom('result_periods').selectAll().where('to_at', '<=', p.before).orderBy('from_at'),
)
const oldestEnded = query('oldest-ended-result-period', (k, p: { before: number }) =>
  k.selectFrom('result_periods').selectAll().where('to_at', '<=', p.before).orderBy('from_at').limit(1),
)

export const endedPeriods = (db: Db, before: number): Promise<ResultPeriodsTable[]> =>
  db.all(allEnded, { before })

export const rowsInPeriods = async (db: Db, periods: readonly ResultPeriodsTable[]): Promise<number> => {
  let total = 0
  for (const period of periods) total += await rowsOf(db, period)
  return total
}

const closePeriod = query('close-result-period', (k, p: { n: number }) =>
  k.updateTable('result_periods').set({ closed: 1 }).where('n', '=', p.n),
)

const deletePeriod = query('delete-result-period', (k, p: { n: number }) =>
  k.deleteFrom('result_periods').where('n', '=', p.n),
)

/** Whether a period may end; until then it waits. */
export type IsPeriodReady = (db: Db, period: ResultPeriodsTable) => Promise<boolean>

type PeriodRules = { alsoRetained: AlsoRetained; isPeriodReady: IsPeriodReady }

/** Places: the number of the last check that was looked at, then `files` and the last result whose files were. */
export const endPeriods =
  ({ alsoRetained, isPeriodReady }: PeriodRules) =>
  async (trx: Db, { before, now, after, size }: PieceOrder): Promise<PieceDone> => {
    const period = await trx.get(oldestEnded, { before })
    if (period === undefined) return { rows: 0, next: null }
    if (period.closed === 0) {
      if (!(await isPeriodReady(trx, period))) return { rows: 0, next: null }
      await trx.run(closePeriod, { n: period.n })
      return { rows: 0, next: '0' }
    }
    const [cursor = '0', file] = after.split(' files ')
    if (file === undefined) {
      const last = await keepOfChecks(trx, period, { alsoRetained, after: Number(cursor), size })
      return { rows: 0, next: last === null ? '0 files ' : String(last) }
    }
    const lastFile = await expireFiles(trx, period, { now, after: file, size })
    if (lastFile !== null) return { rows: 0, next: `0 files ${lastFile}` }
    const rows = await rowsOf(trx, period)
    await resultsEnd(trx, Math.max(period.newest_at ?? 0, period.to_at + startsAfterMs))
    await trx.run(deletePeriod, { n: period.n })
    return { rows, next: '0' }
  }

/** PostgreSQL's own count will do: rows were never counted as they came. */
const rowsOf = async (db: Db, { n, results }: ResultPeriodsTable): Promise<number> => {
  if (!db.engine.partitions) return results
  const name = tableOf('result_rows', `_${n}`)
  const [row] = await selectRows<{ rows: number }>(
    db,
    sql`select n_live_tup as rows from pg_stat_user_tables where relid = to_regclass(${name})`,
  )
  return row?.rows ?? 0
}

/** A check costs some ten statements. */
const checksOf = (size: number): number => Math.max(5, Math.floor(size / 25))

type Keeping = { alsoRetained: AlsoRetained; after: number; size: number }

/** The number of the last check; null: there is none any more. */
const keepOfChecks = async (
  trx: Db,
  period: ResultPeriodsTable,
  { alsoRetained, after, size }: Keeping,
): Promise<number | null> => {
  const rows = tableOf('result_rows', `_${period.n}`)
  let last = after
  for (let count = 0; count < checksOf(size); count++) {
    const [next] = await selectRows<{ n: number | null }>(
      trx,
      sql`select min(check_n) as n from ${trx.engine.along(rows, `${rows}_check`)} where check_n > ${last}`,
    )
    if (next === undefined || next.n === null) return null
    last = next.n
    const [check] = await trx.all(checkOfNumber, { n: last })
    if (check !== undefined) await keepOfCheck(trx, { check, period, alsoRetained })
  }
  return last
}

type CheckInPeriod = { check: CheckNumbersTable; period: ResultPeriodsTable; alsoRetained: AlsoRetained }

/** The newest final result of a check, wherever it is, and those that something else needs. */
const keepOfCheck = async (trx: Db, { check, period, alsoRetained }: CheckInPeriod): Promise<void> => {
  const filter = { resultType: 'FINAL' } as const
  const list = { checkId: check.check_id, direction: 'newest-first', filter } as const
  const newest = await someDocumented(trx, list, 1)
  const others: ResultWithDoc[] = []
  for (const at of await alsoRetained(trx, check.check_id))
    others.push(
      ...(await someDocumented(
        trx,
        { ...list, from: at, to: at + 1, filter: { ...filter, failing: true } },
        10,
      )),
    )
  const [first, end] = [firstIdAt(period.from_at), firstIdAt(period.to_at)]
  for (const result of [...newest, ...others])
    if (result.id >= first && result.id < end) await keepResult(trx, result)
}

/** Their bytes go with the next sweep. */
const expireFiles = async (
  trx: Db,
  { from_at, to_at }: ResultPeriodsTable,
  { now, after, size }: { now: number; after: string; size: number },
): Promise<string | null> => {
  const first = after === '' ? firstIdAt(from_at) : after
  const found = await selectRows<{ result_id: string }>(
    trx,
    sql`select distinct result_id from artifacts where result_id ${sql.raw(after === '' ? '>=' : '>')} ${first}
      and result_id < ${firstIdAt(to_at)} order by result_id limit ${size}`,
  )
  const ids = found.map(({ result_id }) => result_id)
  const retained = await retainedAmong(trx, ids)
  await expireFilesOf(
    trx,
    ids.filter((id) => !retained.has(id)),
    now,
  )
  return ids.length < size ? null : (ids.at(-1) ?? null)
}

const retainedAmong = async (trx: Db, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const rows = await selectRows<{ id: StoredId }>(
    trx,
    sql`select id from result_rows_retained where id in ${idList(trx, ids)}`,
  )
  return new Set(rows.map(({ id }) => idOf(id)))
}

export const expireFilesOf = async (trx: Db, ids: readonly string[], now: number): Promise<void> => {
  if (ids.length === 0) return
  await trx.execute((k, engine) =>
    k
      .updateTable('artifacts')
      .set({ expires_at: now })
      .where('result_id', 'in', engine.textList(ids))
      .where('expires_at', '>', now),
  )
}
