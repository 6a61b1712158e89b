/** What badges show. They are read without a key, so nothing else is read here. */

import { someResults } from '../../monitoring/results/stored/list-results.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'

/** `account` is the account's doc: it says whether badges are on. */
export const checkForBadge = query('check-for-badge', (k, p: { checkId: string }) =>
  k
    .selectFrom('checks as c')
    .innerJoin('accounts as a', 'a.id', 'c.account_id')
    .leftJoin('check_statuses as s', 's.check_id', 'c.id')
    .select(['c.id', 'c.name', 'c.activated', 's.state', 's.stale_since', 'a.doc as account'])
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
    .select(['c.id', 'c.activated', 's.state', 's.stale_since'])
    .where('c.group_id', '=', p.groupId)
    .where('c.account_id', '=', p.accountId),
)

const statusStarts = query('status-starts', (k, p: { checkIds: readonly string[] }, engine) =>
  k
    .selectFrom('check_statuses')
    .select(['check_id', 'last_started_at'])
    .where('check_id', 'in', engine.textList(p.checkIds)),
)

/** Of the runs that the checks' statuses are from, in milliseconds; null: there are none. */
export const latestResponseTime = async (db: Db, checkIds: readonly string[]): Promise<number | null> => {
  const times: number[] = []
  for (const { check_id: checkId, last_started_at: at } of await db.all(statusStarts, { checkIds })) {
    const list = { checkId, direction: 'oldest-first', from: at, to: at + 1 } as const
    for (const run of await someResults(db, { ...list, filter: { resultType: 'FINAL' } }, 100))
      times.push(run.response_time)
  }
  return times.length === 0 ? null : times.reduce((a, b) => a + b, 0) / times.length
}
