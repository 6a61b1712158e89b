/** What follows from a proof of who somebody is: the session, or the question for the second factor. */

import { finishSignIn, needsCode } from '../../access/sign-in/finish-sign-in.ts'
import type { Visitor } from '../../access/sign-in/sign-in-with-key.ts'
import { stepCookie } from '../../access/sign-in/step-cookie.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { seeOther } from './local-path.ts'

type Proof = { userId: string; next: string; visitor: Visitor; method: string }

/** Null: the user is a member of nothing. */
export const afterProof = async (
  app: App & HasCipher & HasRandomBytes,
  { userId, next, visitor, method }: Proof,
): Promise<Reply<string> | null> => {
  if (await needsCode(app, userId))
    return seeOther('/sign-in/code', [stepCookie(app, { kind: 'code', userId, next, method })])
  const cookies = await finishSignIn(app, { userId, visitor, method })
  return cookies === null ? null : seeOther(next, cookies)
}
