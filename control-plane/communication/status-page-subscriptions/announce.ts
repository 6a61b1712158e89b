/**
 * Something happened that subscribers of status pages are to be told. The row is written with what happened; a loop
 * (announcement-tick.ts) makes the mails of it a little later, so that updates in quick succession are one mail.
 */

import type { MailContent } from '../../platform/services/mail/mail-template.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import type { AnnouncementsTable } from '../../platform/store/database/tables/mails.ts'

export type AnnouncementKind = 'INCIDENT' | 'MAINTENANCE'

/**
 * What the subscribers of a page whose mails are in this language are told; null: in that of the page. `serviceIds`: what it touches (subscribed-components.ts).
 */
export type PageMail = {
  pageId: string
  language: string | null
  serviceIds: readonly string[]
  content: MailContent
}

/** What is told about the same subject within this time is told in one mail. */
export const settleMs = 15_000

/** One that waits already will tell this too. The update locks its row: it is not made into mails before we commit. */
const upsertAnnouncement = query('upsert-announcement', (k, p: AnnouncementsTable) =>
  k
    .insertInto('announcements')
    .values({
      kind: p.kind,
      subject: p.subject,
      account_id: p.account_id,
      since: p.since,
      due_at: p.due_at,
    })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'subject']).doUpdateSet((at) => ({ due_at: at.ref('announcements.due_at') })),
    ),
)

type News = {
  kind: AnnouncementKind
  /** The incident's id, or `<window>/<date>` of a maintenance. */
  subject: string
  accountId: string
  now: number
}

/** Belongs in the transaction that stores what happened at `now`. */
export const announce = async (trx: Db, { kind, subject, accountId, now }: News): Promise<void> => {
  const row = { kind, subject, account_id: accountId, since: now, due_at: now + settleMs }
  await trx.run(upsertAnnouncement, row)
}
