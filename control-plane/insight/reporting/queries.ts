import { query } from '../../platform/store/database/query.ts'

/** The same without settings, of which those of many checks are megabytes. */
export const namesForReport = query('names-for-report', (k, p: Page) =>
  k
    .selectFrom('checks')
    .select(['id', 'name', 'type', 'activated', 'created_at', 'group_id'])
    .where('account_id', '=', p.accountId)
    .where((of) => of(of.refTuple('created_at', 'id'), '>', of.tuple(p.afterAt, p.afterId)))
    .orderBy('created_at')
    .orderBy('id')
    .limit(p.limit),
)

type Page = { accountId: string; afterAt: number; afterId: string; limit: number }

/** Behind a place in the order of their making. */
export const checksForReport = query('checks-for-report', (k, p: Page) =>
  k
    .selectFrom('checks')
    .select(['id', 'name', 'type', 'activated', 'created_at', 'group_id', 'doc'])
    .where('account_id', '=', p.accountId)
    .where((of) => of(of.refTuple('created_at', 'id'), '>', of.tuple(p.afterAt, p.afterId)))
    .orderBy('created_at')
    .orderBy('id')
    .limit(p.limit),
)
