import type { App } from '../../platform/app/app.ts'
import { mailTemplate } from '../../platform/services/mail/mail-template.ts'
import { latestMail } from '../../platform/services/mail/queries.ts'
import { queueMail } from '../../platform/services/mail/queue-mail.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type {
  StatusPageSubscriptionsTable,
  StatusPagesTable,
} from '../../platform/store/database/tables/status-pages.ts'
import { pageDoc } from '../stored-pages/page-doc.ts'
import { wordsOfPages } from '../stored-pages/publication-doc.ts'
import { inLanguage } from '../stored-pages/translations.ts'
import { filled, mailEnding } from '../stored-pages/words/mail-words.ts'
import { linkOf } from './subscription-link.ts'

/** An address gets at most one verification mail in this time, over all pages: nobody is bombed with our help. */
const paceMs = 3_600_000
/** Pages that may wait their turn for the same address. */
const maxWaitMs = 24 * paceMs

type Asked = {
  subscription: Subscription
  page: StatusPagesTable
  /** Names of what was chosen; none: everything. */
  chosen?: readonly string[]
  now: number
}

type Subscription = StatusPageSubscriptionsTable & { sealed_token: string }

/**
 * Asks the address whether it wants this. One that was asked for the same page within the hour is not asked again; one
 * that was asked for another page is asked an hour after that.
 */
export const askToVerify = async (
  trx: Db,
  app: App & HasCipher,
  { subscription, page, chosen = [], now }: Asked,
): Promise<void> => {
  const { id, account_id: accountId, address, address_key: addressKey } = subscription
  const asked = { addressKey, kind: 'VERIFICATION', since: now - maxWaitMs }
  const latest = await trx.get(latestMail, asked)
  const dueAt = Math.max(now, (latest?.due_at ?? 0) + paceMs)
  if (latest && dueAt > now && latest.subscription_id === id) return
  if (dueAt > now + maxWaitMs) return
  const words = (await wordsOfPages(trx, [page.id]))(page.id, subscription.language)
  const { lang, mail } = words
  const said = { page: inLanguage(pageDoc.read(page.doc), lang).name, address }
  const content = mailTemplate({
    lang,
    ending: mailEnding(words),
    subject: filled(mail.confirmSubject, said),
    heading: filled(mail.confirmHeading, said),
    parts: [
      filled(mail.confirmText, said),
      ...(chosen.length === 0 ? [] : [`${words.onlySome}: ${chosen.join(', ')}`]),
      { label: mail.confirm, url: linkOf(app, subscription, 'verify') },
      mail.notYou,
    ],
  })
  await queueMail(trx, app, {
    kind: 'VERIFICATION',
    accountId,
    to: address,
    content,
    subscriptionId: id,
    dueAt,
    now,
  })
}
