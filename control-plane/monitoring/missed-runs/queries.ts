import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import type { MissedRunsTable } from '../../platform/database/tables/runs.ts'
import type { Bounds } from './expand.ts'

export type MissedRunFilter = Bounds & {
  accountId: string
  checkId?: string
  location?: string
  reason?: string
}

/**
 * The ranges that hold the latest `limit` due times within the bounds: those whose own latest one there is latest. A
 * range that reaches beyond the upper bound has its latest one at the last step before it.
 */
export const rangesWithLatest = (
  db: Db,
  filter: MissedRunFilter,
  limit: number,
): Promise<MissedRunsTable[]> => {
  const { accountId, checkId, location, reason, from, to, after } = filter
  const latest = Math.min(
    to === undefined ? Number.MAX_SAFE_INTEGER : to - 1,
    after?.[0] ?? Number.MAX_SAFE_INTEGER,
  )
  // Ranges with the cursor's id or a later one have had their turn at the cursor's due time.
  const upper =
    after === undefined || latest < after[0]
      ? sql<number>`${sql.lit(latest)}`
      : sql<number>`(case when id < ${after[1]} then ${sql.lit(latest)} else ${sql.lit(latest - 1)} end)`
  return db.select((k) => {
    let list = k
      .selectFrom('missed_runs')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('first_due_at', '<=', upper)
    if (checkId !== undefined) list = list.where('check_id', '=', checkId)
    if (location !== undefined) list = list.where('location', '=', location)
    if (reason !== undefined) list = list.where('reason', '=', reason)
    if (from !== undefined) list = list.where('last_due_at', '>=', from)
    return list
      .orderBy(
        sql`case when last_due_at <= ${upper} then last_due_at
          else ${upper} - (${upper} - first_due_at) % period_ms end`,
        'desc',
      )
      .orderBy('id', 'desc')
      .limit(limit)
  })
}

export const deleteMissedRunsOfCheck = query('delete-missed-runs-of-check', (k, p: { checkId: string }) =>
  k.deleteFrom('missed_runs').where('check_id', '=', p.checkId),
)
