/** All SQL about mails and what they say. */
import { query } from '../../store/database/query.ts'
import type { MailContentsTable, MailsTable } from '../../store/database/tables/mails.ts'

export const insertMailContent = query('insert-mail-content', (k, p: MailContentsTable) =>
  k.insertInto('mail_contents').values({
    id: p.id,
    account_id: p.account_id,
    sealed_content: p.sealed_content,
    created_at: p.created_at,
  }),
)

type NewMail = Omit<MailsTable, 'status' | 'attempts' | 'sent_at' | 'error'>

export const insertMail = query('insert-mail', (k, p: NewMail) =>
  k.insertInto('mails').values({
    id: p.id,
    account_id: p.account_id,
    content_id: p.content_id,
    kind: p.kind,
    address: p.address,
    address_key: p.address_key,
    subscription_id: p.subscription_id,
    status: 'WAITING',
    attempts: 0,
    due_at: p.due_at,
    created_at: p.created_at,
    sent_at: null,
    error: null,
  }),
)

/** Of the mails of a kind to an address that were made after `since`, the one that is due last. */
export const latestMail = query('latest-mail', (k, p: { addressKey: string; kind: string; since: number }) =>
  k
    .selectFrom('mails')
    .select(['id', 'subscription_id', 'due_at'])
    .where('address_key', '=', p.addressKey)
    .where('kind', '=', p.kind)
    .where('created_at', '>', p.since)
    .orderBy('created_at', 'desc')
    .orderBy('due_at', 'desc')
    .limit(1),
)

export const dueMails = query('due-mails', (k, p: { now: number; limit: number }) =>
  k
    .selectFrom('mails')
    .innerJoin('mail_contents', 'mail_contents.id', 'mails.content_id')
    .selectAll('mails')
    .select('mail_contents.sealed_content')
    .where('mails.status', '=', 'WAITING')
    .where('mails.due_at', '<=', p.now)
    .orderBy('mails.due_at')
    .limit(p.limit),
)

/** Of several control planes one gets the mail, until `until`. */
export const claimMail = query('claim-mail', (k, p: { id: string; attempts: number; until: number }) =>
  k
    .updateTable('mails')
    .set((at) => ({ attempts: at('attempts', '+', 1), due_at: p.until }))
    .where('id', '=', p.id)
    .where('attempts', '=', p.attempts)
    .where('status', '=', 'WAITING'),
)

type MailOutcome = {
  id: string
  attempts: number
  status: string
  dueAt: number
  sentAt: number | null
  error: string | null
}

/** `attempts`: of the claim; one that was claimed again meanwhile is somebody else's. */
export const settleMail = query('settle-mail', (k, p: MailOutcome) =>
  k
    .updateTable('mails')
    .set({ status: p.status, due_at: p.dueAt, sent_at: p.sentAt, error: p.error })
    .where('id', '=', p.id)
    .where('attempts', '=', p.attempts)
    .where('status', '=', 'WAITING'),
)

export const deleteOldMails = query('delete-old-mails', (k, p: { before: number; limit: number }) =>
  k
    .deleteFrom('mails')
    .where('id', 'in', (at) =>
      at
        .selectFrom('mails as o')
        .select('o.id')
        .where('o.created_at', '<', p.before)
        .orderBy('o.created_at')
        .limit(p.limit),
    ),
)

/** Nothing refers to them: mails are made with their content and deleted first. */
export const deleteOldContents = query('delete-old-mail-contents', (k, p: { before: number }) =>
  k
    .deleteFrom('mail_contents')
    .where('created_at', '<', p.before)
    .where((at) =>
      at.not(
        at.exists(
          at.selectFrom('mails').select('mails.id').whereRef('mails.content_id', '=', 'mail_contents.id'),
        ),
      ),
    ),
)
