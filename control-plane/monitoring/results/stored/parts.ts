/**
 * Where results lie. A *part* is a set of tables that is read as one: on SQLite each period, on PostgreSQL all of them
 * together (its partitions), on both what is kept beyond its period.
 */
import type { Db } from '../../../platform/store/database/db.ts'
import type { Engine } from '../../../platform/store/database/engines.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { ResultPeriodsTable } from '../../../platform/store/database/tables/results.ts'

export type Part = { suffix: string; newestAt: number | null; oldestAt: number | null; hasDetails: boolean }

export const retained: Part = { suffix: '_retained', newestAt: null, oldestAt: null, hasDetails: false }
/** All partitions of PostgreSQL. */
const together: Part = { suffix: '', newestAt: null, oldestAt: null, hasDetails: true }

export const suffixOf = (engine: Engine, { n }: { n: number }): string => (engine.partitions ? '' : `_${n}`)

type Instants = { from: number; to: number }

const periodsWithStarts = query('result-periods-with-starts', (k, p: Instants) =>
  k
    .selectFrom('result_periods')
    .selectAll()
    .where('newest_at', '>=', p.from)
    .where('oldest_at', '<', p.to)
    .orderBy('newest_at', 'desc'),
)

const partOfPeriod = (period: ResultPeriodsTable): Part => ({
  suffix: `_${period.n}`,
  newestAt: period.newest_at,
  oldestAt: period.oldest_at,
  hasDetails: period.has_details === 1,
})

/** Parts that may have runs that started from `from` until before `to`. */
export const partsWithStarts = async (db: Db, { from = 0, to = endOfTime }): Promise<Part[]> => {
  const periods = db.engine.partitions
    ? [together]
    : (await db.all(periodsWithStarts, { from, to })).map(partOfPeriod)
  return [...periods, retained]
}

/** Beyond every instant that a column holds. */
export const endOfTime = 2 ** 48

const periodAround = query('result-period-around', (k, p: { at: number }) =>
  k.selectFrom('result_periods').selectAll().where('from_at', '<=', p.at).orderBy('from_at', 'desc').limit(1),
)

/** The instant at which an id was made; of other ids than ours it is any. */
export const instantOfId = (id: string): number =>
  Number.parseInt(`${id.slice(0, 8)}${id.slice(9, 13)}`, 16) || 0

/** Parts that may have the result with this id. */
export const partsWithId = async (db: Db, id: string): Promise<Part[]> => {
  if (db.engine.partitions) return [together, retained]
  const at = instantOfId(id)
  const period = await db.get(periodAround, { at })
  return [...(period !== undefined && at < period.to_at ? [partOfPeriod(period)] : []), retained]
}

const periodsBetween = query('result-periods-between', (k, p: Instants) =>
  k
    .selectFrom('result_periods')
    .selectAll()
    .where('from_at', '<=', p.to)
    .where('to_at', '>', p.from)
    .orderBy('from_at'),
)

/** In the order of their time. */
export const periodsOfIds = async (db: Db, ids: readonly string[]): Promise<ResultPeriodsTable[]> => {
  const instants = ids.map(instantOfId)
  return db.all(periodsBetween, {
    from: instants.reduce((a, b) => Math.min(a, b), endOfTime),
    to: instants.reduce((a, b) => Math.max(a, b), 0),
  })
}
