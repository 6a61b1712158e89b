import { query } from '../../platform/store/database/query.ts'
import type { AnnouncementsTable } from '../../platform/store/database/tables/mails.ts'
import { isConcerned } from '../status-page-subscriptions/subscribed-components.ts'

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

/** In which languages the subscribers of pages are told of what touches these services. */
export const languagesOfSubscribers = query(
  'languages-of-subscribers',
  (k, p: { pageIds: readonly string[]; serviceIds: readonly string[] }, engine) =>
    k
      .selectFrom('status_page_subscriptions as s')
      .select(['s.status_page_id', 's.language'])
      .distinct()
      .where('s.status_page_id', 'in', engine.textList(p.pageIds))
      .where('s.status', '=', 'VERIFIED')
      .where(isConcerned(engine, p.serviceIds)),
)

type FanOut = {
  /** Makes the ids; the same for all pages of an announcement, so that an address gets one mail of it. */
  announcementId: string
  contentId: string
  kind: string
  pageId: string
  /** Empty: that of the page. */
  language: string
  serviceIds: readonly string[]
  now: number
  /** An address that got `limit` mails of this kind after `since` gets no more. */
  since: number
  limit: number
}

/** A mail to each verified subscriber of a page whom it concerns, in one statement. */
export const insertMailsToSubscribers = query('insert-mails-to-subscribers', (k, p: FanOut, engine) =>
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
        .where(isConcerned(engine, p.serviceIds))
        .where((of) => of(of.fn.coalesce('s.language', of.cast<string>(of.val(''), 'text')), '=', p.language))
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
