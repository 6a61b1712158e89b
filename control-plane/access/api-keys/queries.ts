import { query } from '../../platform/store/database/query.ts'

type NewApiKey = {
  id: string
  accountId: string
  userId: string | null
  kind: 'user' | 'service'
  role: string
  name: string
  hash: string
  masked: string
  now: number
}

/** Does nothing when the key is known already. */
export const insertApiKey = query('insert-api-key', (k, p: NewApiKey) =>
  k
    .insertInto('api_keys')
    .values({
      id: p.id,
      account_id: p.accountId,
      user_id: p.userId,
      kind: p.kind,
      role: p.role,
      name: p.name,
      hash: p.hash,
      masked: p.masked,
      created_at: p.now,
      last_used_at: null,
      revoked_at: null,
    })
    .onConflict((conflict) => conflict.column('hash').doNothing()),
)

const shown = ['id', 'name', 'role', 'masked', 'created_at', 'last_used_at'] as const

export const serviceKeysOfAccount = query('service-keys-of-account', (k, p: { accountId: string }) =>
  k
    .selectFrom('api_keys')
    .select(shown)
    .where('account_id', '=', p.accountId)
    .where('kind', '=', 'service')
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id'),
)

export const keysOfMember = query('keys-of-member', (k, p: { accountId: string; userId: string }) =>
  k
    .selectFrom('api_keys')
    .select(shown)
    .where('account_id', '=', p.accountId)
    .where('user_id', '=', p.userId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id'),
)

type OneKey = { id: string; accountId: string; now: number }

export const revokeServiceKey = query('revoke-service-key', (k, p: OneKey) =>
  k
    .updateTable('api_keys')
    .set({ revoked_at: p.now })
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('kind', '=', 'service')
    .where('revoked_at', 'is', null),
)

export const revokeUserKey = query('revoke-user-key', (k, p: OneKey & { userId: string }) =>
  k
    .updateTable('api_keys')
    .set({ revoked_at: p.now })
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('user_id', '=', p.userId)
    .where('revoked_at', 'is', null),
)

export const revokeKeysOfMember = query(
  'revoke-keys-of-member',
  (k, p: { accountId: string; userId: string; now: number }) =>
    k
      .updateTable('api_keys')
      .set({ revoked_at: p.now })
      .where('account_id', '=', p.accountId)
      .where('user_id', '=', p.userId)
      .where('revoked_at', 'is', null),
)

/** For the operator: every key of an account that works. */
export const keysOfAccount = query('keys-of-account', (k, p: { accountId: string }) =>
  k
    .selectFrom('api_keys')
    .select([...shown, 'kind', 'user_id'])
    .where('account_id', '=', p.accountId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id'),
)

export const revokeKey = query('revoke-key', (k, p: { id: string; now: number }) =>
  k.updateTable('api_keys').set({ revoked_at: p.now }).where('id', '=', p.id).where('revoked_at', 'is', null),
)

export const keyName = query('name-of-api-key', (k, p: { id: string }) =>
  k.selectFrom('api_keys').select('name').where('id', '=', p.id),
)
