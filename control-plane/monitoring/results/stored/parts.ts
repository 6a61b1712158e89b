/**
 * Where results lie. A *part* is a set of tables that is read as one: on SQLite each period, on PostgreSQL some of them in a row
 * (its partitions, which are found by bounds of their ids), on both what is kept beyond its period.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import type { Engine } from '../../../platform/store/database/engines.ts'
import { query } from '../../../platform/store/database/query.ts'
import { selectRows } from '../../../platform/store/database/raw-sql.ts'
import type { ResultPeriodsTable } from '../../../platform/store/database/tables/results.ts'
import { firstIdAt } from '../../../platform/words/uuid.ts'

export type Part = {
  suffix: string
  newestAt: number | null
  oldestAt: number | null
  hasDetails: boolean
  /** Those of its rows, `first` inclusive, `end` exclusive, where other rows are in the same tables. */
  ids: { first: string; end: string } | null
}

export const retained: Part = {
  suffix: '_retained',
  newestAt: null,
  oldestAt: null,
  hasDetails: false,
  ids: null,
}
/** All partitions of PostgreSQL. */
const together: Part = { ...retained, suffix: '', hasDetails: true }

/** What a statement on tables of a part has to say so that it sees no others' rows, and PostgreSQL opens no other partition. */
export const withinPart = ({ ids }: Part, column = 'id'): RawBuilder<unknown> =>
  ids === null ? sql`` : sql` and ${sql.ref(column)} >= ${ids.first} and ${sql.ref(column)} < ${ids.end}`

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
  ids: null,
})

/**
 * Of a store of before partitions said when their runs started, they may have any. Each says whether anything is kept, too, which is
 * mostly nothing: of its own that would be a round trip.
 */
const partitionsWithStarts = query('result-partitions-with-starts', (k, p: Instants) =>
  k
    .selectFrom('result_periods')
    .selectAll()
    .select(sql<boolean>`exists (select 1 from result_rows_retained)`.as('is_any_kept'))
    .where((e) =>
      e.or([e('newest_at', 'is', null), e.and([e('newest_at', '>=', p.from), e('oldest_at', '<', p.to)])]),
    )
    .orderBy('from_at', 'desc'),
)

/** Those that are asked first are few, as most questions end in them: today's, and those of the days to come. A year is in five parts. */
const firstTogether = 4
const growth = 4

const partOfPartitions = (periods: readonly ResultPeriodsTable[]): Part => {
  const [starts, ends] = [periods.map(({ from_at }) => from_at), periods.map(({ to_at }) => to_at)]
  return {
    suffix: '',
    newestAt: periods.reduce((newest, { newest_at }) => Math.max(newest, newest_at ?? endOfTime), 0),
    oldestAt: periods.reduce((oldest, { oldest_at }) => Math.min(oldest, oldest_at ?? 0), endOfTime),
    hasDetails: periods.some(({ has_details }) => has_details === 1),
    ids: { first: firstIdAt(Math.min(...starts)), end: firstIdAt(Math.max(...ends)) },
  }
}

/** `periods`: in the order in which they are asked. */
const partsOfPartitions = (periods: readonly ResultPeriodsTable[]): Part[] => {
  const parts: Part[] = []
  let size = firstTogether
  for (let at = 0; at < periods.length; size *= growth) {
    parts.push(partOfPartitions(periods.slice(at, at + size)))
    at += size
  }
  return parts
}

type Starts = Instants & { oldestFirst?: boolean }

/**
 * Parts that may have runs that started from `from` until before `to`; those come first that are asked first, which may have runs
 * that started before some of the others'.
 */
export const partsWithStarts = async (db: Db, { oldestFirst = false, ...span }: Starts): Promise<Part[]> => {
  if (!db.engine.partitions) {
    const parts = (await db.all(periodsWithStarts, span)).map(partOfPeriod)
    return (await isAnyKept(db)) ? [...parts, retained] : parts
  }
  const periods = await db.all(partitionsWithStarts, span)
  const parts = partsOfPartitions(oldestFirst ? periods.toReversed() : periods)
  return periods[0]?.is_any_kept === false ? parts : [...parts, retained]
}

const isAnyKept = async (db: Db): Promise<boolean> =>
  (await selectRows(db, sql`select 1 as one from "result_rows_retained" limit 1`)).length > 0

/** For what asks nothing of time. */
export const allParts = async (db: Db): Promise<Part[]> =>
  db.engine.partitions ? [together, retained] : partsWithStarts(db, { from: 0, to: endOfTime })

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
  const at = instantOfId(id)
  const period = await db.get(periodAround, { at })
  if (period === undefined || at >= period.to_at) return [retained]
  return [db.engine.partitions ? partOfPartitions([period]) : partOfPeriod(period), retained]
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
