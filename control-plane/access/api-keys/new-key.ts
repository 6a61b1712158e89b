/** API keys: 256 random bits, shown once; the store keeps their SHA-256 and the last four characters. */

import type { App } from '../../platform/app/app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { keyHash } from '../../platform/web/http/auth/auth.ts'
import { insertApiKey } from './queries.ts'
import type { ApiKeyRow } from './schema.ts'

type NewKey = { id: string; rawKey: string; masked: string; hash: string }

export const newKey = (app: Pick<App, 'newId'> & HasRandomBytes): NewKey => {
  const rawKey = `wp_${app.randomBytes(32).toString('base64url')}`
  return { id: app.newId(), rawKey, masked: `…${rawKey.slice(-4)}`, hash: keyHash(rawKey) }
}

type Holder = { accountId: string; name: string } & (
  | { kind: 'user'; userId: string; role: string }
  | { kind: 'service'; userId: null; role: string }
)

/** A user key's `role` is only what its user was when it was made: their membership decides (web/http/auth/auth.ts). */
export const storeKey = async (
  trx: Db,
  { id, masked, hash }: NewKey,
  { now, ...holder }: Holder & { now: number },
): Promise<ApiKeyRow> => {
  await trx.run(insertApiKey, { id, ...holder, hash, masked, now })
  return { id, name: holder.name, role: holder.role, masked, created_at: now, last_used_at: null }
}
