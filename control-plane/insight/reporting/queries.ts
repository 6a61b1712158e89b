import { query } from '../../platform/database/query.ts'

export const checksForReport = query('checks-for-report', (k, p: { accountId: string }) =>
  k
    .selectFrom('checks')
    .select(['id', 'name', 'type', 'activated', 'doc'])
    .where('account_id', '=', p.accountId)
    .orderBy('created_at')
    .orderBy('id'),
)
