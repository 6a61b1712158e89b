/** The loop that turns an announcement into one mail per verified subscriber of the pages that show its subject. */

import type { App } from '../../platform/app/app.ts'
import { sealContent } from '../../platform/services/mail/mail-content.ts'
import { insertMailContent } from '../../platform/services/mail/queries.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AnnouncementsTable } from '../../platform/store/database/tables/mails.ts'
import type { AnnouncementKind, PageMail } from '../status-page-subscriptions/announce.ts'
import { incidentMails } from './incident-mails.ts'
import { maintenanceMails } from './maintenance-mails.ts'
import type { MailMoment } from './page-links.ts'
import { dueAnnouncements, insertMailsToSubscribers, takeAnnouncement } from './queries.ts'

const batchSize = 50
/** An address gets at most so many mails of each kind in an hour, over all pages: a flapping check bombs nobody. */
const mailsPerHour = 20
const hourMs = 3_600_000

type Tell = (trx: Db, announcement: AnnouncementsTable, moment: MailMoment) => Promise<PageMail[]>

const tellers: Record<AnnouncementKind, Tell> = { INCIDENT: incidentMails, MAINTENANCE: maintenanceMails }

export const announcementTick = async (app: App & HasCipher): Promise<void> => {
  const due = await app.db.all(dueAnnouncements, { now: app.clock.now(), limit: batchSize })
  for (const announcement of due) await makeMails(app, announcement)
}

const makeMails = (app: App & HasCipher, announcement: AnnouncementsTable): Promise<void> => {
  const now = app.clock.now()
  const moment = { now, baseUrl: app.config.baseUrl }
  const announcementId = app.newId()
  return app.db.transaction(async (trx) => {
    if ((await trx.run(takeAnnouncement, announcement)) === 0) return
    const { kind, account_id } = announcement
    const mails = await tellers[kind as AnnouncementKind](trx, announcement, moment)
    for (const { pageId, language, serviceIds, content } of mails) {
      const contentId = app.newId()
      const sealed_content = sealContent(app.cipher, contentId, content)
      await trx.run(insertMailContent, { id: contentId, account_id, sealed_content, created_at: now })
      await trx.run(insertMailsToSubscribers, {
        announcementId: `${announcementId}.`,
        contentId,
        kind,
        pageId,
        language: language ?? '',
        serviceIds,
        now,
        since: now - hourMs,
        limit: mailsPerHour,
      })
    }
  })
}
