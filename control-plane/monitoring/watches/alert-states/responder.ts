import { keyName } from '../../../access/api-keys/queries.ts'
import { findMember } from '../../../access/members/queries.ts'
import type { Responder } from '../../../alerting/messages/alert-response.ts'
import type { App } from '../../../platform/app/app.ts'
import type { AccountPrincipal } from '../../../platform/web/http/route.ts'

/** Who answers, as others will read it. */
export const responderOf = async (
  { db }: App,
  { accountId, userId, keyId, sessionId }: AccountPrincipal,
): Promise<Responder> => {
  const via = sessionId === undefined ? 'API_KEY' : 'SESSION'
  const member = userId === null ? undefined : await db.get(findMember, { accountId, userId })
  if (member !== undefined) return { by: member.name ?? member.email, via }
  const key = sessionId === undefined ? await db.get(keyName, { id: keyId }) : undefined
  return { by: key === undefined ? 'somebody who is signed in with a key' : `the key "${key.name}"`, via }
}
