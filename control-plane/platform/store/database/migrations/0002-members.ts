/** Users, their memberships of accounts, and invites. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

const instant = integer

export const members: string[] = [
  table(
    'users',
    {
      id: text,
      email: text,
      name: nullable(text),
      name_search: text,
      created_at: instant,
      updated_at: instant,
    },
    primaryKey('id'),
  ),
  index('users_email', 'users (email)', { unique: true }),
  table(
    'memberships',
    { account_id: text, user_id: text, role: text, created_at: instant, updated_at: instant },
    primaryKey('account_id', 'user_id'),
  ),
  index('memberships_user', 'memberships (user_id)'),
  index('memberships_list', 'memberships (account_id, created_at, user_id)'),
  table(
    'invites',
    {
      id: text,
      account_id: text,
      email: text,
      role: text,
      inviter_email: text,
      token_hash: text,
      created_at: instant,
      updated_at: instant,
      expires_at: instant,
    },
    primaryKey('id'),
  ),
  index('invites_email', 'invites (account_id, email)', { unique: true }),
  index('invites_token', 'invites (token_hash)', { unique: true }),
  index('invites_list', 'invites (account_id, created_at, id)'),
  index('api_keys_user', 'api_keys (user_id)', { where: 'user_id is not null' }),
]
