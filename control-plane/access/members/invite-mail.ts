import type { App } from '../../platform/app/app.ts'
import { mailTemplate } from '../../platform/services/mail/mail-template.ts'
import { queueMail } from '../../platform/services/mail/queue-mail.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { currentLocale, type HasLocales } from '../../platform/web/html/locales.ts'
import { wordOfRole } from '../../platform/web/html/role-words.ts'
import { speechOf } from '../../platform/web/html/speech.ts'
import { findUserByEmail } from './queries.ts'
import type { InviteRow } from './schema.ts'

/**
 * Hands the token to the invited person too: the link leads to a page, and programs are told the request. In their language, or in that of
 * whoever invites them.
 */
export const mailInvite = async (
  trx: Db,
  app: App & HasCipher & HasLocales,
  { invite, token, now, accountName }: { invite: InviteRow; token: string; now: number; accountName: string },
): Promise<void> => {
  const { account_id: accountId, email, role, inviter_email: inviter, expires_at } = invite
  const user = await trx.get(findUserByEmail, { email })
  const { lang, text, said, instant } = speechOf(app, user?.language ?? currentLocale().lang)
  const content = mailTemplate({
    lang,
    subject: text('Invitation to {0}', accountName),
    heading:
      inviter === ''
        ? text('You are invited to {0}', accountName)
        : text('{0} has invited you to {1}', inviter, accountName),
    parts: [
      text('You can join until {0}. Your role: {1}.', instant(expires_at), said(wordOfRole(role))),
      { label: text('Accept the invitation'), url: `${app.config.baseUrl}/invites/${token}` },
      {
        title: text('Without a browser: if you have no API key here yet'),
        text: `POST ${app.config.baseUrl}/v1/invites/accept\nContent-Type: application/json\n\n${JSON.stringify({ token })}\n\n${text('The answer holds your first API key, which is shown only once.')}`,
      },
      {
        title: text('Without a browser: if you have one'),
        text: text('Send the same body to {0} with your key.', `${app.config.baseUrl}/v1/invites/join`),
      },
      text('If you did not expect this, do nothing: without the link above nothing happens.'),
    ],
  })
  await queueMail(trx, app, { kind: 'INVITE', accountId, to: email, content, now })
}
