/** All SQL about check groups. */
import { query } from '../database/query.ts'

export const groupsOfAccount = query('groups-of-account', (k, p: { accountId: string }) =>
  k.selectFrom('check_groups').selectAll().where('account_id', '=', p.accountId).orderBy('id'),
)
