/** The owner of the account has every way in that there is: a password, an authenticator app, a passkey, a provider, a link and a session. */

import { insertIdentity, insertPasskey, putPassword } from '../../control-plane/access/credentials/queries.ts'
import {
  beginTotp,
  confirmSecondFactor,
  removeSecondFactor,
} from '../../control-plane/access/credentials/second-factor.ts'
import { codeOf, stepAt } from '../../control-plane/access/credentials/totp.ts'
import { findUserByEmail } from '../../control-plane/access/members/queries.ts'
import { newLinkToken, storeLink } from '../../control-plane/access/sign-in/links.ts'
import { hashPassword } from '../../control-plane/access/sign-in/password-hash.ts'
import { openSession } from '../../control-plane/platform/web/http/auth/session.ts'
import type { TestApp } from './app.ts'

export const everySignIn = async ({ app, accountId }: TestApp): Promise<void> => {
  const now = app.clock.now()
  const user = await app.db.get(findUserByEmail, { email: `owner@${accountId}.example` })
  if (user === undefined) throw new Error('There is no owner')
  const userId = user.id
  await app.db.run(putPassword, {
    userId,
    hash: await hashPassword(app, 'correct horse battery', { address: '192.0.2.1', known: null }),
    now,
  })
  // One that is on is not replaced.
  await removeSecondFactor(app.db, userId)
  const secret = await beginTotp(app, userId)
  if ((await confirmSecondFactor(app, { userId, code: codeOf(secret, stepAt(now)) })) === null)
    throw new Error('The code of the app was refused')
  await app.db.run(insertPasskey, {
    ...{ id: app.newId(), user_id: userId, public_key: app.randomBytes(77).toString('base64url') },
    ...{ counter: 0, name: 'a laptop', created_at: now, used_at: null },
  })
  await app.db.run(insertIdentity, { issuer: 'https://identity.example', subject: 'owner', userId, now })
  const link = { userId, purpose: 'FORGOTTEN', now, token: newLinkToken(app) } as const
  await app.db.transaction((trx) => storeLink(trx, link))
  await openSession(app, { accountId, userId, apiKeyId: null, address: '192.0.2.1', browser: 'a browser' })
}
