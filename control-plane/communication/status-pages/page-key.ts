import type { App } from '../../platform/app/app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { StatusPageKeysTable } from '../../platform/store/database/tables/status-pages.ts'
import { keyHash } from '../../platform/web/http/auth/auth.ts'

export type NewPageKey = { rawKey: string; row: Omit<StatusPageKeysTable, 'account_id' | 'status_page_id'> }

/** The password of a private page: 128 random bits, so that its SHA-256 is as good as it. */
export const newPageKey = (app: App & HasRandomBytes): NewPageKey => {
  const rawKey = `sp_${app.randomBytes(16).toString('hex')}`
  return {
    rawKey,
    row: {
      id: app.newId(),
      hash: keyHash(rawKey),
      masked: `…${rawKey.slice(-4)}`,
      created_at: app.clock.now(),
    },
  }
}
