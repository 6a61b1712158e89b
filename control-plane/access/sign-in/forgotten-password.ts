/** A link by mail for who forgot a password. The answer is the same whether anybody has the address. */

import type { App } from '../../platform/app/app.ts'
import { mailTemplate } from '../../platform/doors/mail/mail-template.ts'
import { queueMail } from '../../platform/doors/mail/queue-mail.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/doors/secrets/cipher.ts'
import { accountsOfUser } from '../credentials/queries.ts'
import { findUserByEmail } from '../members/queries.ts'
import { linkAddress, newLinkToken, storeLink } from './links.ts'
import { admitAttempt } from './sign-in-limit.ts'

export const mailsAreSent = ({ config }: Pick<App, 'config'>): boolean => config.mail !== null

/** @throws ApiError 429 */
export const mailForgottenPassword = async (
  app: App & HasCipher & HasRandomBytes,
  { email, address }: { email: string; address: string },
): Promise<void> => {
  admitAttempt(app, { address, account: email })
  const user = await app.db.get(findUserByEmail, { email: email.trim().toLowerCase() })
  const [account] = await app.db.all(accountsOfUser, { userId: user?.id ?? '' })
  if (user === undefined || account === undefined || !mailsAreSent(app)) return
  const now = app.clock.now()
  const token = newLinkToken(app)
  const content = mailTemplate({
    subject: 'Choose a new password',
    heading: 'Choose a new password',
    parts: [
      'Somebody, probably you, asked for a new password for this address. The link is good once, for an hour.',
      { label: 'Choose a password', url: linkAddress(app, token) },
      'If it was not you, do nothing: your password stays as it is.',
    ],
  })
  await app.db.transaction(async (trx) => {
    await storeLink(trx, { userId: user.id, purpose: 'FORGOTTEN', now, token })
    await queueMail(trx, app, {
      kind: 'PASSWORD',
      accountId: account.account_id,
      to: user.email,
      content,
      now,
    })
  })
}
