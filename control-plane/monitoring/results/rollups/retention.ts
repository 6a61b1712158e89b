/** Rollups end, check by check: of each series what is too old is at its start. A result stays until it is counted. */
import { sql } from 'kysely'
import type { RetentionKind } from '../../../platform/retention/retention-kind.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { ResultPeriodsTable } from '../../../platform/store/database/tables/results.ts'
import { firstIdAt } from '../../../platform/words/uuid.ts'
import type { Result } from '../stored/result.ts'
import { hourMs } from './spans.ts'

const countedUntil = query('rollups-counted-until', (k, _: Record<string, never>) =>
  k.selectFrom('rollup_progress').select('hours_until').where('id', '=', 1),
)

const lateResultBetween = query('late-result-between', (k, p: { first: string; end: string }) =>
  k
    .selectFrom('late_results')
    .select('result_id')
    .where('result_id', '>=', p.first)
    .where('result_id', '<', p.end)
    .limit(1),
)

/** Runs of a job begin within it, as far as ids and starts may lie apart where the store does not keep the latest start. */
const startsAfterMs = hourMs

/** Whether every result of a period is counted, so that the period may end. */
export const isPeriodCounted = async (db: Db, period: ResultPeriodsTable): Promise<boolean> => {
  const until = (await db.get(countedUntil, {}))?.hours_until ?? 0
  const { from_at, to_at, newest_at } = period
  if (until <= (newest_at ?? to_at + startsAfterMs)) return false
  return (await db.get(lateResultBetween, { first: firstIdAt(from_at), end: firstIdAt(to_at) })) === undefined
}

const isThere = query('is-check-there', (k, p: { checkId: string }) =>
  k.selectFrom('checks').select('id').where('id', '=', p.checkId),
)

/** Whether one result is still to be counted: of a check that is removed nothing is. */
export const isUncounted = async (
  db: Db,
  { id, check_id, started_at }: Pick<Result, 'id' | 'check_id' | 'started_at'>,
): Promise<boolean> => {
  if ((await db.get(isThere, { checkId: check_id })) === undefined) return false
  const until = (await db.get(countedUntil, {}))?.hours_until ?? 0
  if (started_at >= until) return true
  return (await db.get(lateResultBetween, { first: id, end: `${id}~` })) !== undefined
}

type Series = { check_number: number; hours: number; series: string }

/** The first row of the next series: the oldest of it. */
const seriesBehind = query(
  'rollup-series-behind',
  (k, p: { number: number; hours: number; series: string }) =>
    k
      .selectFrom('result_rollups')
      .select(['check_number', 'hours', 'series', 'start_at'])
      .where(sql<boolean>`(check_number, hours, series) > (${p.number}, ${p.hours}, ${p.series})`)
      .orderBy('check_number')
      .orderBy('hours')
      .orderBy('series')
      .orderBy('start_at')
      .limit(1),
)

type Oldest = Series & { before: number; limit: number }

const deleteOldest = query('delete-oldest-rollups', (k, p: Oldest) =>
  k.deleteFrom('result_rollups').where(
    sql<boolean>`(check_number, hours, series, start_at) in (
      select check_number, hours, series, start_at from result_rollups
      where check_number = ${p.check_number} and hours = ${p.hours} and series = ${p.series}
        and start_at < ${p.before} order by start_at limit ${p.limit})`,
  ),
)

const countOldest = query('count-oldest-rollups', (k, p: Oldest) =>
  k
    .selectFrom(
      k
        .selectFrom('result_rollups')
        .select('start_at')
        .where('check_number', '=', p.check_number)
        .where('hours', '=', p.hours)
        .where('series', '=', p.series)
        .where('start_at', '<', p.before)
        .limit(p.limit)
        .as('old'),
    )
    .select((at) => at.fn.countAll<number>().as('total')),
)

const start: Series = { check_number: -1, hours: 0, series: '' }

/** As the walk keeps it between pieces. */
const textOf = ({ check_number, hours, series }: Series): string => [check_number, hours, series].join(' ')

const cursorOf = (after: string): Series => {
  if (after === '') return start
  const [number, hours, series = ''] = after.split(' ')
  return { check_number: Number(number), hours: Number(hours), series }
}

const nextSeries = (db: Db, { check_number, hours, series }: Series) =>
  db.get(seriesBehind, { number: check_number, hours, series })

/** A look at a series costs as much as some rows of other kinds. */
const rowsPerLook = 5

export const rollupsKind: RetentionKind = {
  name: 'rollups',
  table: 'result_rollups',
  setting: 'rollups',
  makesRoom: false,
  piece: async (trx, { before, after, size }) => {
    let rows = 0
    let left = size
    let cursor = cursorOf(after)
    let oldestAt: number | null = null
    while (left > 0) {
      const found = await nextSeries(trx, cursor)
      if (found === undefined) return { rows, next: null, oldestAt }
      const { start_at, ...series } = found
      const deleted = start_at < before ? await trx.run(deleteOldest, { ...series, before, limit: left }) : 0
      rows += deleted
      if (start_at >= before) oldestAt = Math.min(oldestAt ?? start_at, start_at)
      // Where the limit ended it, the rest of the series is the next piece's.
      if (deleted === left) break
      left -= deleted + rowsPerLook
      cursor = series
    }
    return { rows, next: textOf(cursor), oldestAt }
  },
  count: async (db, { before, limit }) => {
    let total = 0
    let cursor = start
    while (total < limit) {
      const found = await nextSeries(db, cursor)
      if (found === undefined) return total
      const { start_at, ...series } = found
      if (start_at < before)
        total += (await db.get(countOldest, { ...series, before, limit: limit - total }))?.total ?? 0
      cursor = series
    }
    return total
  },
  oldestAt: async () => null,
}
