/** Sessions of people in browsers. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const userSessions: string[] = [
  table(
    'user_sessions',
    {
      id: text,
      hash: text,
      account_id: text,
      user_id: nullable(text),
      api_key_id: nullable(text),
      created_at: integer,
      used_at: integer,
      address: text,
      browser: text,
    },
    primaryKey('id'),
  ),
  index('user_sessions_hash', 'user_sessions (hash)', { unique: true }),
  index('user_sessions_user', 'user_sessions (user_id, used_at)'),
  index('user_sessions_key', 'user_sessions (api_key_id)'),
  index('user_sessions_used', 'user_sessions (used_at)'),
]
