/** Sessions as their people see them. */
import { query } from '../../platform/store/database/query.ts'

export const findSessionById = query('find-user-session-by-id', (k, p: { id: string }) =>
  k.selectFrom('user_sessions').selectAll().where('id', '=', p.id),
)

export const sessionsOfUser = query('sessions-of-user', (k, p: { userId: string; limit: number }) =>
  k
    .selectFrom('user_sessions')
    .selectAll()
    .where('user_id', '=', p.userId)
    .orderBy('used_at', 'desc')
    .limit(p.limit),
)

/** Of a service key, which has no user. */
export const sessionsOfKey = query('sessions-of-key', (k, p: { apiKeyId: string; limit: number }) =>
  k
    .selectFrom('user_sessions')
    .selectAll()
    .where('api_key_id', '=', p.apiKeyId)
    .orderBy('used_at', 'desc')
    .limit(p.limit),
)

export const deleteSessionOfUser = query('delete-session-of-user', (k, p: { id: string; userId: string }) =>
  k.deleteFrom('user_sessions').where('id', '=', p.id).where('user_id', '=', p.userId),
)

export const deleteSessionOfKey = query('delete-session-of-key', (k, p: { id: string; apiKeyId: string }) =>
  k.deleteFrom('user_sessions').where('id', '=', p.id).where('api_key_id', '=', p.apiKeyId),
)

export const deleteSessionsOfKey = query(
  'delete-sessions-of-key',
  (k, p: { apiKeyId: string; except: string }) =>
    k.deleteFrom('user_sessions').where('api_key_id', '=', p.apiKeyId).where('id', '!=', p.except),
)
