/** The keys that open the API. Only hashes are stored. */
import { query } from '../../../store/database/query.ts'

export const findApiKey = query('find-api-key', (k, p: { hash: string }) =>
  k
    .selectFrom('api_keys')
    .select(['id', 'account_id', 'user_id', 'role', 'hash', 'last_used_at', 'name'])
    .where('hash', '=', p.hash)
    .where('revoked_at', 'is', null),
)

/** Where a user is a member, and as what: what their keys open. */
export const membershipsOfUser = query('memberships-of-user', (k, p: { userId: string }) =>
  k.selectFrom('memberships').select(['account_id', 'role']).where('user_id', '=', p.userId),
)

/** Those of the accounts whose secrets are shown to keys that may write. */
export const accountsShowingSecrets = query(
  'accounts-showing-secrets',
  (k, p: { accountIds: readonly string[] }, engine) =>
    k
      .selectFrom('accounts')
      .select('id')
      .where('id', 'in', engine.textList(p.accountIds))
      .where('shows_secrets', '=', 1),
)

export const findMembership = query('find-membership', (k, p: { accountId: string; userId: string }) =>
  k
    .selectFrom('memberships')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where('user_id', '=', p.userId),
)

export const recordKeyUse = query('record-key-use', (k, p: { id: string; now: number }) =>
  k.updateTable('api_keys').set({ last_used_at: p.now }).where('id', '=', p.id),
)
