/** All SQL about mails and what they say. */
import { query } from '../../store/database/query.ts'
import type { AnnouncementsTable, MailContentsTable, MailsTable } from '../../store/database/tables/mails.ts'

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

export const dueAnnouncements = query('due-announcements', (k, p: { now: number; limit: number }) =>
  k.selectFrom('announcements').selectAll().where('due_at', '<=', p.now).orderBy('due_at').limit(p.limit),
)

/** Of several control planes one gets it; what happens from now on is a new announcement. */
export const takeAnnouncement = query(
  'take-announcement',
  (k, p: Pick<AnnouncementsTable, 'kind' | 'subject' | 'since'>) =>
    k
      .deleteFrom('announcements')
      .where('kind', '=', p.kind)
      .where('subject', '=', p.subject)
      .where('since', '=', p.since),
)

type FanOut = {
  /** Makes the ids; the same for all pages of an announcement, so that an address gets one mail of it. */
  announcementId: string
  contentId: string
  kind: string
  pageId: string
  now: number
  /** An address that got `limit` mails of this kind after `since` gets no more. */
  since: number
  limit: number
}

/** A mail to each verified subscriber of a page, in one statement. */
export const insertMailsToSubscribers = query('insert-mails-to-subscribers', (k, p: FanOut) =>
  k
    .insertInto('mails')
    .columns([
      'id',
      'account_id',
      'content_id',
      'kind',
      'address',
      'address_key',
      'subscription_id',
      'status',
      'attempts',
      'due_at',
      'created_at',
      'sent_at',
      'error',
    ])
    .expression((at) =>
      at
        .selectFrom('status_page_subscriptions as s')
        .select((of) => [
          of(of.cast<string>(of.val(p.announcementId), 'text'), '||', of.ref('s.address_key')).as('id'),
          's.account_id',
          of.cast<string>(of.val(p.contentId), 'text').as('content_id'),
          of.cast<string>(of.val(p.kind), 'text').as('kind'),
          's.address',
          's.address_key',
          's.id as subscription_id',
          of.cast<string>(of.val('WAITING'), 'text').as('status'),
          of.lit(0).as('attempts'),
          of.cast<number>(of.val(p.now), 'bigint').as('due_at'),
          of.cast<number>(of.val(p.now), 'bigint').as('created_at'),
          of.lit(null).as('sent_at'),
          of.lit(null).as('error'),
        ])
        .where('s.status_page_id', '=', p.pageId)
        .where('s.type', '=', 'EMAIL')
        .where('s.status', '=', 'VERIFIED')
        .where(
          (of) =>
            of
              .selectFrom('mails as m')
              .select((inner) => inner.fn.countAll<number>().as('n'))
              .whereRef('m.address_key', '=', 's.address_key')
              .where('m.kind', '=', p.kind)
              .where('m.created_at', '>', p.since),
          '<',
          p.limit,
        ),
    )
    .onConflict((conflict) => conflict.column('id').doNothing()),
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
