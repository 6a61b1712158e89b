import { sql } from 'kysely'
import { eachSlice, type ListSource } from '../../../platform/long-reads/read-slices.ts'
import { query } from '../../../platform/store/database/query.ts'
import {
  type Builder,
  type OrderedList,
  type Slice,
  selectSlice,
} from '../../../platform/store/database/slices.ts'
import type { MissedRunsTable } from '../../../platform/store/database/tables/runs.ts'
import { type Bounds, type DueTime, headsOf, latestFirst } from './expand.ts'

type MissedRunFilter = Bounds & {
  accountId: string
  checkId?: string
  location?: string
  reason?: string
}

/**
 * The ranges that hold the latest `limit` due times within the bounds: those whose own latest one there is latest. In the
 * order of their ends, latest first; only ranges that reach beyond the upper bound have their latest one there elsewhere.
 */
export const rangesWithLatest = async (
  source: ListSource,
  filter: MissedRunFilter,
  limit: number,
): Promise<MissedRunsTable[]> => {
  const list = rangesOf(filter)
  let heads: DueTime[] = []
  await eachSlice(source, list, {
    read: async (slice) => {
      const ranges = await source.db.select((k, engine) =>
        latestInSlice({ k, engine }, { list, filter, slice }).limit(limit),
      )
      heads = [...heads, ...headsOf(ranges, filter)].sort(latestFirst).slice(0, limit)
      const last = heads[limit - 1]
      // What follows ends at the slice's end or before.
      return last === undefined || slice.until === null || slice.until.at >= last.dueAt
    },
  })
  return heads.map(({ range }) => range)
}

const rangesOf = ({ accountId, checkId, from }: MissedRunFilter): OrderedList<'missed_runs'> => ({
  table: 'missed_runs',
  index: checkId === undefined ? 'missed_runs_account' : 'missed_runs_check',
  owner: checkId === undefined ? ['account_id', accountId] : ['check_id', checkId],
  at: 'last_due_at',
  direction: 'newest-first',
  from,
})

type RangesInSlice = { list: OrderedList<'missed_runs'>; filter: MissedRunFilter; slice: Slice }

const latestInSlice = (builder: Builder, { list, filter, slice }: RangesInSlice) => {
  const { accountId, location, reason, to, after } = filter
  const unbounded = Number.MAX_SAFE_INTEGER
  const latest = Math.min(to === undefined ? unbounded : to - 1, after?.[0] ?? unbounded)
  // Ranges with the cursor's id or a later one have had their turn at the cursor's due time.
  const upper =
    after === undefined || latest < after[0]
      ? sql<number>`${sql.lit(latest)}`
      : sql<number>`(case when id < ${after[1]} then ${sql.lit(latest)} else ${sql.lit(latest - 1)} end)`
  let ranges = selectSlice(builder, list, slice)
    .selectAll()
    .where('account_id', '=', accountId)
    .where('first_due_at', '<=', upper)
  if (location !== undefined) ranges = ranges.where('location', '=', location)
  if (reason !== undefined) ranges = ranges.where('reason', '=', reason)
  const reachesBeyond = (slice.after?.at ?? unbounded) >= latest && latest < unbounded
  if (!reachesBeyond) return ranges
  const ownLatest = sql`case when last_due_at <= ${upper} then last_due_at
    else ${upper} - (${upper} - first_due_at) % period_ms end`
  return ranges.clearOrderBy().orderBy(ownLatest, 'desc').orderBy('id', 'desc')
}

/** A check that nobody ran may have as many as runs. */
export const deleteSomeMissedRuns = query(
  'delete-some-missed-runs',
  (k, p: { checkId: string; limit: number }) =>
    k
      .deleteFrom('missed_runs')
      .where(
        'id',
        'in',
        k.selectFrom('missed_runs').select('id').where('check_id', '=', p.checkId).limit(p.limit),
      ),
)
