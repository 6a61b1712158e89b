import type { App } from '../../platform/app/app.ts'
import { instantInWords } from '../../platform/services/mail/dates.ts'
import { mailTemplate } from '../../platform/services/mail/mail-template.ts'
import { queueMail } from '../../platform/services/mail/queue-mail.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { InviteRow } from './schema.ts'

/** Hands the token to the invited person too: the link leads to a page, and programs are told the request. */
export const mailInvite = async (
  trx: Db,
  app: App & HasCipher,
  { invite, token, now, accountName }: { invite: InviteRow; token: string; now: number; accountName: string },
): Promise<void> => {
  const { account_id: accountId, email, role, inviter_email: inviter, expires_at } = invite
  const from = inviter === '' ? 'You are' : `${inviter} has`
  const invited = inviter === '' ? 'invited' : 'invited you'
  const content = mailTemplate({
    subject: `Invitation to ${accountName}`,
    heading: `${from} ${invited} to ${accountName}`,
    parts: [
      `You can join with the role ${role} until ${instantInWords(expires_at)}.`,
      { label: 'Accept the invitation', url: `${app.config.baseUrl}/invites/${token}` },
      {
        title: 'Without a browser: if you have no API key here yet',
        text: `POST ${app.config.baseUrl}/v1/invites/accept\nContent-Type: application/json\n\n${JSON.stringify({ token })}\n\nThe answer holds your first API key, which is shown only once.`,
      },
      {
        title: 'Without a browser: if you have one',
        text: `Send the same body to ${app.config.baseUrl}/v1/invites/join with your key.`,
      },
      'If you did not expect this, do nothing: without the link above nothing happens.',
    ],
  })
  await queueMail(trx, app, { kind: 'INVITE', accountId, to: email, content, now })
}
