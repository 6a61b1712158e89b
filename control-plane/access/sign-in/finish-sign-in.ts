/** The last step of every sign-in but a key's: the session, in the account that the user was a member of first, and a browser that is known. */

import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { openSession } from '../../platform/web/http/auth/session.ts'
import { recordAccess } from '../audit-log/record-access.ts'
import { accountsOfUser, findTotp, findUser } from '../credentials/queries.ts'
import { knownBrowserCookie } from './known-browser.ts'
import { accountName, codeAccount } from './sign-in-limit.ts'
import type { Visitor } from './sign-in-with-key.ts'

type SignedIn = { userId: string; visitor: Visitor; method: string }

/** The cookies that it sets; null: the user is a member of nothing any more. */
export const finishSignIn = async (
  app: App & HasRandomBytes & HasCipher,
  { userId, visitor, method }: SignedIn,
): Promise<string[] | null> => {
  const [first] = await app.db.all(accountsOfUser, { userId })
  if (first === undefined) return null
  const user = await app.db.get(findUser, { userId })
  const cookie = await openSession(app, { accountId: first.account_id, userId, apiKeyId: null, ...visitor })
  await recordAccess(app, app.db, {
    ...{ accountId: first.account_id, action: 'SIGNED_IN', resourceId: method },
    ...{ actorKind: 'SESSION', actorId: userId, actorName: user?.email ?? '', address: visitor.address },
  })
  const subjects = [accountName(user?.email ?? ''), codeAccount(userId)]
  return [cookie, knownBrowserCookie(app, { room: 'sign-in', subjects })]
}

/** Whether a code is asked for beside the password. */
export const needsCode = async (app: App, userId: string): Promise<boolean> => {
  const totp = await app.db.get(findTotp, { userId })
  return totp !== undefined && totp.confirmed_at !== null
}
