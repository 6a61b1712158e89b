/**
 * A link by mail for who forgot a password. The answer is the same whether anybody has the address, and so is the work before it: who asked is
 * written down here, and a loop looks them up. What a process that is killed had not looked up yet is asked for again by who waits for it.
 */

import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { mailTemplate } from '../../platform/services/mail/mail-template.ts'
import { queueMail } from '../../platform/services/mail/queue-mail.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { currentLocale, type HasLocales } from '../../platform/web/html/locales.ts'
import { speechOf } from '../../platform/web/html/speech.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { accountsOfUser, countLinks } from '../credentials/queries.ts'
import { findUserByEmail } from '../members/queries.ts'
import { linkAddress, newLinkToken, storeLink } from './links.ts'
import { accountName } from './sign-in-limit.ts'

/** Of a user, in the hour that a link is good: who fills somebody's mailbox with them fills it with these. */
const maxLinks = 3
const maxWaiting = 1000

/** Who asked, and the language of the page on which they did. */
const waitingOf = perApp(() => new Map<string, string>())

export const mailsAreSent = ({ config }: Pick<App, 'config'>): boolean => config.mail !== null

/** @throws ApiError 503 when too many wait */
export const askForLink = (app: App, email: string): void => {
  const waiting = waitingOf(app)
  if (waiting.size >= maxWaiting) throw new ApiError(503, 'Too many people ask for a link at once')
  waiting.set(accountName(email), currentLocale().lang)
}

/** The loop that mails the links. */
export const forgottenPasswordTick = async (
  app: App & HasCipher & HasLocales & HasRandomBytes,
): Promise<void> => {
  const waiting = waitingOf(app)
  for (const [email, pageLang] of waiting) {
    await mailLink(app, { email, pageLang })
    waiting.delete(email)
  }
}

const mailLink = async (
  app: App & HasCipher & HasLocales & HasRandomBytes,
  { email, pageLang }: { email: string; pageLang: string },
): Promise<void> => {
  const user = await app.db.get(findUserByEmail, { email })
  const [account] = await app.db.all(accountsOfUser, { userId: user?.id ?? '' })
  if (user === undefined || account === undefined || !mailsAreSent(app)) return
  const now = app.clock.now()
  const token = newLinkToken(app)
  const { lang, text } = speechOf(app, user.language ?? pageLang)
  const content = mailTemplate({
    lang,
    subject: text('Choose a new password'),
    heading: text('Choose a new password'),
    parts: [
      text(
        'Somebody, probably you, asked for a new password for this address. The link is good once, for an hour.',
      ),
      { label: text('Choose a password'), url: linkAddress(app, token) },
      text('If it was not you, do nothing: your password stays as it is.'),
    ],
  })
  await app.db.transaction(async (trx) => {
    const links = await trx.get(countLinks, { userId: user.id, purpose: 'FORGOTTEN', now })
    if (Number(links?.total ?? 0) >= maxLinks) return
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
