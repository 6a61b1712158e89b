/** What badges show. They are read without a key, so nothing else is read here. */
import { query } from '../../platform/database/query.ts'

/** `account` is the account's doc: it says whether badges are on. */
export const checkForBadge = query('check-for-badge', (k, p: { checkId: string }) =>
  k
    .selectFrom('checks as c')
    .innerJoin('accounts as a', 'a.id', 'c.account_id')
    .leftJoin('check_statuses as s', 's.check_id', 'c.id')
    .select(['c.id', 'c.name', 'c.activated', 's.state', 'a.doc as account'])
    .where('c.id', '=', p.checkId),
)

export const groupForBadge = query('group-for-badge', (k, p: { groupId: number }) =>
  k
    .selectFrom('check_groups as g')
    .innerJoin('accounts as a', 'a.id', 'g.account_id')
    .select(['g.id', 'g.name', 'g.account_id', 'g.activated', 'a.doc as account'])
    .where('g.id', '=', p.groupId),
)

export const membersForBadge = query('members-for-badge', (k, p: { groupId: number; accountId: string }) =>
  k
    .selectFrom('checks as c')
    .leftJoin('check_statuses as s', 's.check_id', 'c.id')
    .select(['c.id', 'c.activated', 's.state'])
    .where('c.group_id', '=', p.groupId)
    .where('c.account_id', '=', p.accountId),
)

/** Of the runs that the checks' statuses are from, in milliseconds. */
export const latestResponseTime = query(
  'latest-response-time',
  (k, p: { checkIds: readonly string[] }, engine) =>
    k
      .selectFrom('check_statuses as s')
      .innerJoin('results as r', (join) =>
        join.onRef('r.check_id', '=', 's.check_id').onRef('r.started_at', '=', 's.last_started_at'),
      )
      .select((at) => at.fn.avg<number | null>('r.response_time').as('average'))
      .where('s.check_id', 'in', engine.textList(p.checkIds))
      .where('r.result_type', '=', 'FINAL'),
)
