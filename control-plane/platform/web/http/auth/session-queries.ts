/** Sessions of people in browsers. Only hashes of their cookies are stored. */
import { query } from '../../../store/database/query.ts'
import type { UserSessionsTable } from '../../../store/database/tables/user-sessions.ts'

export const insertSession = query('insert-user-session', (k, p: UserSessionsTable) =>
  k.insertInto('user_sessions').values({
    id: p.id,
    hash: p.hash,
    account_id: p.account_id,
    user_id: p.user_id,
    api_key_id: p.api_key_id,
    created_at: p.created_at,
    used_at: p.used_at,
    address: p.address,
    browser: p.browser,
  }),
)

/** With the key that it was opened with, if it was: a session ends with its key. */
export const findSession = query('find-user-session', (k, p: { hash: string }) =>
  k
    .selectFrom('user_sessions')
    .leftJoin('api_keys', 'api_keys.id', 'user_sessions.api_key_id')
    .leftJoin('users', 'users.id', 'user_sessions.user_id')
    .select([
      'user_sessions.id as id',
      'user_sessions.hash as hash',
      'user_sessions.account_id as account_id',
      'user_sessions.user_id as user_id',
      'user_sessions.api_key_id as api_key_id',
      'user_sessions.created_at as created_at',
      'user_sessions.used_at as used_at',
      'api_keys.role as key_role',
      'api_keys.revoked_at as key_revoked_at',
      'users.language as language',
    ])
    .where('user_sessions.hash', '=', p.hash),
)

export const recordSessionUse = query('record-user-session-use', (k, p: { id: string; now: number }) =>
  k.updateTable('user_sessions').set({ used_at: p.now }).where('id', '=', p.id),
)

export const deleteSession = query('delete-user-session', (k, p: { id: string }) =>
  k.deleteFrom('user_sessions').where('id', '=', p.id),
)
