/** What the front page shows to whoever is signed in. */
import { query } from '../../platform/store/database/query.ts'

/** The checks that were run last, with what came of it. */
export const latestRunsOfAccount = query(
  'latest-runs-of-account',
  (k, p: { accountId: string; limit: number }) =>
    k
      .selectFrom('check_statuses')
      .innerJoin('checks', 'checks.id', 'check_statuses.check_id')
      .select([
        'check_statuses.check_id as check_id',
        'check_statuses.state as state',
        'check_statuses.last_started_at as last_started_at',
        'checks.name as name',
      ])
      .where('check_statuses.account_id', '=', p.accountId)
      .orderBy('check_statuses.last_started_at', 'desc')
      .limit(p.limit),
)

/** Those that were seen lately. */
export const connectedAgents = query('connected-agents', (k, p: { accountId: string; since: number }) =>
  k
    .selectFrom('agents')
    .innerJoin('private_locations', 'private_locations.id', 'agents.location_id')
    .select((at) => at.fn.countAll<number>().as('agents'))
    .where('private_locations.account_id', '=', p.accountId)
    .where('agents.last_seen_at', '>=', p.since),
)

export const checksByState = query('checks-by-state', (k, p: { accountId: string }) =>
  k
    .selectFrom('check_statuses')
    .select((at) => ['state', at.fn.countAll<number>().as('checks')])
    .where('account_id', '=', p.accountId)
    .groupBy('state'),
)
