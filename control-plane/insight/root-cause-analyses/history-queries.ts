/** What the analyst reads of results and of other checks. */

import { someDocumented, someResults } from '../../monitoring/results/stored/list-results.ts'
import type { Result, ResultWithDoc } from '../../monitoring/results/stored/result.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'

type OfCheck = { checkId: string }

/** FINAL results that failed, newest first, starting at `until`. */
export const failedResults = (
  db: Db,
  { checkId, until, limit }: OfCheck & { until: number; limit: number },
): Promise<ResultWithDoc[]> => {
  const filter = { resultType: 'FINAL', failing: true } as const
  return someDocumented(db, { checkId, direction: 'newest-first', to: until + 1, filter }, limit)
}

/** FINAL results without their documents, newest first; `until`: that had started by then. Cancelled runs say nothing. */
export const recentRuns = (
  db: Db,
  { checkId, until, limit }: OfCheck & { until?: number; limit: number },
): Promise<Result[]> => {
  const filter = { resultType: 'FINAL', isCancelled: false } as const
  const to = until === undefined ? undefined : until + 1
  return someResults(db, { checkId, direction: 'newest-first', to, filter }, limit)
}

export const activeChecks = query('active-checks', (k, p: { accountId: string; limit: number }) =>
  k
    .selectFrom('checks')
    .select(['id', 'name', 'type', 'doc'])
    .where('account_id', '=', p.accountId)
    .where('activated', '=', true)
    .orderBy('created_at')
    .orderBy('id')
    .limit(p.limit),
)

type RunWindow = { checkId: string; since: number; until: number }

/** How a check did at about a moment: its latest FINAL result between two instants. */
export const runAround = async (
  db: Db,
  { checkId, since, until }: RunWindow,
): Promise<Result | undefined> => {
  const filter = { resultType: 'FINAL', isCancelled: false, hasErrors: false } as const
  const list = { checkId, direction: 'newest-first', from: since, to: until + 1, filter } as const
  const [run] = await someResults(db, list, 1)
  return run
}
