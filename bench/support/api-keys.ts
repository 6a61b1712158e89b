/** Keys by the hundred: the API allows 600 requests a minute to each. */
import { randomBytes, randomUUID } from 'node:crypto'
import { insertApiKey } from '../../control-plane/access/api-keys/queries.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { keyHash } from '../../control-plane/platform/web/http/auth/auth.ts'
import { accountId } from '../../test/support/programs.ts'

export const createKeys = async (db: Database, count: number): Promise<string[]> => {
  const keys = Array.from({ length: count }, () => `wp_${randomBytes(32).toString('base64url')}`)
  await Promise.all(
    keys.map((key) =>
      db.run(insertApiKey, {
        id: randomUUID(),
        accountId,
        userId: null,
        kind: 'service',
        role: 'READ_ONLY',
        name: 'benchmark',
        hash: keyHash(key),
        masked: '',
        now: Date.now(),
      }),
    ),
  )
  return keys
}
