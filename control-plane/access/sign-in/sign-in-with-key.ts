/** An API key that was pasted once: its session acts as the key does, and ends with it. */

import type { App } from '../../platform/app/app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { keyHash } from '../../platform/web/http/auth/auth.ts'
import { findApiKey } from '../../platform/web/http/auth/auth-queries.ts'
import { type NewSession, openSession } from '../../platform/web/http/auth/session.ts'
import { recordAccess } from '../audit-log/record-access.ts'
import { admitAttempt } from './sign-in-limit.ts'

export type Visitor = Pick<NewSession, 'address' | 'browser'>

/** The header that sets the cookie; null: the key opens nothing. @throws ApiError 429 */
export const signInWithKey = async (
  app: App & HasRandomBytes,
  { key, known }: { key: string; known: string | null },
  visitor: Visitor,
): Promise<string | null> => {
  admitAttempt(app, { address: visitor.address, account: null, known })
  const row = await app.db.get(findApiKey, { hash: keyHash(key.trim()) })
  if (row === undefined) return null
  const { account_id: accountId, user_id: userId, id: apiKeyId } = row
  await recordAccess(app, app.db, {
    ...{ accountId, action: 'SIGNED_IN', resourceId: 'key', address: visitor.address },
    ...{ actorKind: userId === null ? 'SERVICE_KEY' : 'SESSION', actorId: userId ?? apiKeyId },
    actorName: row.name,
  })
  return openSession(app, { accountId, userId, apiKeyId, ...visitor })
}
