/** What the analyst reads of results and of other checks. */
import { failingResults } from '../../monitoring/check-results/failing-results.ts'
import { query } from '../../platform/database/query.ts'
import { along } from '../../platform/database/slices.ts'

type OfCheck = { checkId: string; accountId: string }

/** FINAL results that failed, newest first, starting at `until`. */
export const failedResults = query(
  'failed-results',
  (k, p: OfCheck & { until: number; limit: number }, engine) =>
    along({ k, engine }, 'results', 'results_failing')
      .select(['id', 'started_at', 'location', 'response_time', 'has_errors', 'over_max', 'doc'])
      .where('check_id', '=', p.checkId)
      .where('account_id', '=', p.accountId)
      .where('result_type', '=', 'FINAL')
      .where('started_at', '<=', p.until)
      .where(failingResults)
      .orderBy('started_at', 'desc')
      .orderBy('id', 'desc')
      .limit(p.limit),
)

/** FINAL results without their documents, newest first. Cancelled runs say nothing. */
export const recentRuns = query('recent-runs', (k, p: OfCheck & { limit: number }) =>
  k
    .selectFrom('results')
    .select(['started_at', 'location', 'response_time', 'has_failures', 'has_errors'])
    .where('check_id', '=', p.checkId)
    .where('account_id', '=', p.accountId)
    .where('result_type', '=', 'FINAL')
    .where('is_cancelled', '=', false)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

/** The same of those that had started by an instant. */
export const runsUntil = query('runs-until', (k, p: OfCheck & { until: number; limit: number }) =>
  k
    .selectFrom('results')
    .select(['started_at', 'location', 'response_time', 'has_failures', 'has_errors'])
    .where('check_id', '=', p.checkId)
    .where('account_id', '=', p.accountId)
    .where('result_type', '=', 'FINAL')
    .where('is_cancelled', '=', false)
    .where('started_at', '<=', p.until)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

export const activeChecks = query('active-checks', (k, p: { accountId: string; limit: number }) =>
  k
    .selectFrom('checks')
    .select(['id', 'name', 'doc'])
    .where('account_id', '=', p.accountId)
    .where('activated', '=', true)
    .orderBy('created_at')
    .orderBy('id')
    .limit(p.limit),
)

type RunWindow = { checkId: string; since: number; until: number }

/** How a check did at about a moment: its latest FINAL result between two instants. */
export const runAround = query('run-around', (k, p: RunWindow) =>
  k
    .selectFrom('results')
    .select('has_failures')
    .where('check_id', '=', p.checkId)
    .where('result_type', '=', 'FINAL')
    .where('is_cancelled', '=', false)
    .where('has_errors', '=', false)
    .where('started_at', '>=', p.since)
    .where('started_at', '<=', p.until)
    .orderBy('started_at', 'desc')
    .limit(1),
)
