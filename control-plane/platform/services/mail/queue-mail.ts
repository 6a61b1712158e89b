/**
 * Mails of the control plane's own: to people who subscribed, who are invited, or who have to know.
 *
 * A mail is a row written with what it tells of, and sent later (mail-tick.ts): at least once, with the same Message-ID
 * for every try. Words: a *content* is what one or many mails say; it is sealed, because links in it are secrets.
 */

import type { App } from '../../app/app.ts'
import type { Db } from '../../store/database/db.ts'
import type { HasCipher, HasRandomBytes } from '../secrets/cipher.ts'
import { sealContent } from './mail-content.ts'
import type { MailContent } from './mail-template.ts'
import { insertMail, insertMailContent } from './queries.ts'

type NewMail = {
  /** What it is about, in capitals: how many of a kind go to an address is bounded. */
  kind: string
  accountId: string
  to: string
  content: MailContent
  subscriptionId?: string
  /** Not before; at once if left out. */
  dueAt?: number
}

/** Belongs in the transaction that stores what the mail tells of. */
export const queueMail = async (
  trx: Db,
  { cipher, newId }: Pick<App, 'newId'> & HasCipher,
  { kind, accountId, to, content, subscriptionId, dueAt, now }: NewMail & { now: number },
): Promise<void> => {
  const id = newId()
  const sealed_content = sealContent(cipher, id, content)
  await trx.run(insertMailContent, { id, account_id: accountId, sealed_content, created_at: now })
  await trx.run(insertMail, {
    id,
    account_id: accountId,
    content_id: id,
    kind,
    address: to,
    address_key: to.toLowerCase(),
    subscription_id: subscriptionId ?? null,
    due_at: dueAt ?? now,
    created_at: now,
  })
}

/** Where somebody ends the subscription that a mail goes to; null when it has ended. Answered by `control-plane/lookups.ts`. */
export type HasUnsubscribeUrls = {
  lookups: {
    unsubscribeUrl(app: App & HasCipher & HasRandomBytes, subscriptionId: string): Promise<string | null>
  }
}
