/** Rollups end, check by check: of each series what is too old is at its start. A result stays until it is counted. */
import { sql } from 'kysely'
import type { RetentionKind } from '../../../platform/retention/retention-kind.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { ResultPeriodsTable } from '../../../platform/store/database/tables/results.ts'
import { firstIdAt } from '../../../platform/words/uuid.ts'
import { startsAfterMs } from '../raw-since.ts'
import type { Result } from '../stored/result.ts'
import { retriesSeries } from './measures.ts'
import { daily, dayOf } from './spans.ts'

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

type Series = { check_number: number; minutes: number; series: string }

/** The first row of the next series: the oldest of it. */
const seriesBehind = query(
  'rollup-series-behind',
  (k, p: { number: number; minutes: number; series: string }) =>
    k
      .selectFrom('result_rollups')
      .select(['check_number', 'minutes', 'series', 'start_at'])
      .where(sql<boolean>`(check_number, minutes, series) > (${p.number}, ${p.minutes}, ${p.series})`)
      .orderBy('check_number')
      .orderBy('minutes')
      .orderBy('series')
      .orderBy('start_at')
      .limit(1),
)

type Oldest = Series & { before: number; limit: number }

const deleteOldest = query('delete-oldest-rollups', (k, p: Oldest) =>
  k.deleteFrom('result_rollups').where(
    sql<boolean>`(check_number, minutes, series, start_at) in (
      select check_number, minutes, series, start_at from result_rollups
      where check_number = ${p.check_number} and minutes = ${p.minutes} and series = ${p.series}
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
        .where('minutes', '=', p.minutes)
        .where('series', '=', p.series)
        .where('start_at', '<', p.before)
        .limit(p.limit)
        .as('old'),
    )
    .select((at) => at.fn.countAll<number>().as('total')),
)

const start: Series = { check_number: -1, minutes: 0, series: '' }

/** As the walk keeps it between pieces. */
const textOf = ({ check_number, minutes, series }: Series): string =>
  [check_number, minutes, series].join(' ')

const cursorOf = (after: string): Series => {
  if (after === '') return start
  const [number, minutes, series = ''] = after.split(' ')
  return { check_number: Number(number), minutes: Number(minutes), series }
}

const nextSeries = (db: Db, { check_number, minutes, series }: Series) =>
  db.get(seriesBehind, { number: check_number, minutes, series })

const moveRollupsSince = query('move-rollups-since', (k, p: { at: number }) =>
  k
    .updateTable('rollup_horizon')
    .set({ rollups_since: p.at })
    .where('id', '=', 1)
    .where('rollups_since', '<', p.at),
)

/** Every hour is in a day, and every check with rollups has days: a seek for each of them. */
const oldestDay = query('oldest-rollup-day', (k, _: Record<string, never>) =>
  k
    .selectFrom('rollup_checks')
    .select((at) =>
      at.fn
        .min(
          at
            .selectFrom('result_rollups')
            .select('start_at')
            .whereRef('check_number', '=', 'rollup_checks.number')
            .where('minutes', '=', daily)
            .where('series', '=', retriesSeries)
            .orderBy('start_at')
            .limit(1),
        )
        .as('oldest'),
    ),
)

/** A look at a series costs as much as some rows of other kinds. */
const rowsPerLook = 5

export const rollupsKind: RetentionKind = {
  name: 'rollups',
  table: 'result_rollups',
  setting: 'rollups',
  makesRoom: true,
  endsBySize: 'apart',
  piece: async (trx, { before: instant, after, size }) => {
    const before = dayOf(instant)
    // What is known of a day is known whole.
    if (after === '') await trx.run(moveRollupsSince, { at: before })
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
  count: async (db, { before: instant, limit }) => {
    const before = dayOf(instant)
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
  oldestAt: async (db) => (await db.get(oldestDay, {}))?.oldest ?? null,
}
