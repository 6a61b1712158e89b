/** How people sign in without a key. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const signIn: string[] = [
  table('user_passwords', { user_id: text, hash: text, updated_at: integer }, primaryKey('user_id')),
  table(
    'user_totp',
    { user_id: text, sealed_secret: text, confirmed_at: nullable(integer), used_step: integer },
    primaryKey('user_id'),
  ),
  table('user_recovery_codes', { user_id: text, hash: text }, primaryKey('user_id', 'hash')),
  table(
    'user_passkeys',
    {
      id: text,
      user_id: text,
      public_key: text,
      counter: integer,
      name: text,
      created_at: integer,
      used_at: nullable(integer),
    },
    primaryKey('id'),
  ),
  index('user_passkeys_user', 'user_passkeys (user_id, created_at)'),
  table(
    'user_identities',
    { issuer: text, subject: text, user_id: text, created_at: integer },
    primaryKey('issuer', 'subject'),
  ),
  index('user_identities_user', 'user_identities (user_id)'),
  table(
    'sign_in_links',
    { hash: text, user_id: text, purpose: text, created_at: integer, expires_at: integer },
    primaryKey('hash'),
  ),
  index('sign_in_links_user', 'sign_in_links (user_id, created_at)'),
]
