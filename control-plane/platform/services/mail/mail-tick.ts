/**
 * The loop that sends mails. A claim is a compare-and-set on the row's count of attempts and ends after `claimMs`: of
 * several control planes one sends, and what a killed one had claimed is sent again under the same Message-ID.
 */

import type { App } from '../../app/app.ts'
import { type HasRetention, retentionOf } from '../../retention/settings.ts'
import type { MailsTable } from '../../store/database/tables/mails.ts'
import type { HasCipher, HasRandomBytes } from '../secrets/cipher.ts'
import { type HasMail, MailError } from './mail.ts'
import { openContent } from './mail-content.ts'
import { withFooter } from './mail-template.ts'
import { claimMail, deleteOldContents, deleteOldMails, dueMails, settleMail } from './queries.ts'
import type { HasUnsubscribeUrls } from './queue-mail.ts'

/** Longer than the slowest mail server is waited for. */
const claimMs = 120_000
/** Mails in flight at a time: what a mail server takes from one client. */
const atOnce = 10
const batchSize = 100
/** Waits between tries; after the last the mail has failed. */
const backOffMs = [60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 6 * 3_600_000]
const deletedAtOnce = 1000

type DueMail = MailsTable & { sealed_content: string }

export const mailTick = async (
  app: App & HasMail & HasCipher & HasUnsubscribeUrls & HasRandomBytes,
): Promise<void> => {
  for (;;) {
    const due = await app.db.all(dueMails, { now: app.clock.now(), limit: batchSize })
    const queue = due.values()
    const workers = Array.from({ length: atOnce }, async () => {
      for (const mail of queue) await claimAndSend(app, mail)
    })
    await Promise.all(workers)
    if (!app.mail.configured && due.length > 0)
      app.log.warn({ mails: due.length }, 'Mails were not sent: SMTP_URL is not set')
    if (due.length < batchSize) return
  }
}

const claimAndSend = async (
  app: App & HasMail & HasCipher & HasUnsubscribeUrls & HasRandomBytes,
  row: DueMail,
): Promise<void> => {
  const until = app.clock.now() + claimMs
  if ((await app.db.run(claimMail, { id: row.id, attempts: row.attempts, until })) !== 1) return
  const claimed = { ...row, attempts: row.attempts + 1 }
  try {
    const sent = await send(app, claimed)
    await settle(app, claimed, sent ? { status: 'SUCCESS' } : { status: 'FAILURE', error: ended })
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    const waitMs = error.permanent ? undefined : backOffMs[row.attempts]
    if (app.mail.configured)
      app.log.warn({ err: error, mailId: row.id, again: waitMs !== undefined }, 'A mail was not sent')
    await settle(app, claimed, {
      status: waitMs === undefined ? 'FAILURE' : 'WAITING',
      error: error.message,
      waitMs: waitMs ?? 0,
    })
  }
}

const ended = 'The subscription has ended'

/** False when there is nobody left to send it to. */
const send = async (
  app: App & HasCipher & HasMail & HasUnsubscribeUrls & HasRandomBytes,
  row: DueMail,
): Promise<boolean> => {
  const content = openContent(app.cipher, row.content_id, row.sealed_content)
  const mail = { to: row.address, messageId: messageIdOf(app, row) }
  if (row.subscription_id === null) {
    await app.mail.send({ ...mail, ...withFooter(content, []) })
    return true
  }
  const url = await app.lookups.unsubscribeUrl(app, row.subscription_id)
  if (url === null) return false
  const { why, unsubscribe } = content.ending
  const footer = [why, { label: unsubscribe, url }]
  // RFC 8058: mail programs show a button of their own that posts to the address.
  const headers = { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  await app.mail.send({ ...mail, ...withFooter(content, footer), headers })
  return true
}

type MailEnd = { status: 'SUCCESS' | 'FAILURE' | 'WAITING'; error?: string; waitMs?: number }

const settle = async (app: App, row: DueMail, { status, error, waitMs = 0 }: MailEnd): Promise<void> => {
  const now = app.clock.now()
  await app.db.run(settleMail, {
    id: row.id,
    attempts: row.attempts,
    status,
    dueAt: now + waitMs,
    sentAt: status === 'SUCCESS' ? now : null,
    error: error ?? null,
  })
}

const messageIdOf = (app: App, { id, content_id, subscription_id }: DueMail): string => {
  const own = subscription_id === null ? id : `${content_id}.${subscription_id}`
  return `${own}@${new URL(app.config.baseUrl).hostname.replace(/[^\w.-]/g, '')}`
}

/** Mails end with what they said. */
export const oldMailsTick = async (app: App & HasRetention): Promise<void> => {
  const before = app.clock.now() - retentionOf(app, 'mails')
  while ((await app.db.run(deleteOldMails, { before, limit: deletedAtOnce })) === deletedAtOnce);
  await app.db.run(deleteOldContents, { before })
}
