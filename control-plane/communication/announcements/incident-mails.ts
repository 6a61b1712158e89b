import { mailTemplate, type Part } from '../../platform/services/mail/mail-template.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AnnouncementsTable } from '../../platform/store/database/tables/mails.ts'
import type { IncidentUpdatesTable } from '../../platform/store/database/tables/status-pages.ts'
import { findIncident, pagesOfIncident, servicesOfIncidents } from '../incidents/queries.ts'
import { updatesOfIncidents } from '../incidents/update-queries.ts'
import type { PageMail } from '../status-page-subscriptions/announce.ts'
import { pageDoc } from '../stored-pages/page-doc.ts'
import { wordsOfPages } from '../stored-pages/publication-doc.ts'
import { mailInstant } from '../stored-pages/words/mail-words.ts'
import type { Words } from '../stored-pages/words/words.ts'
import { type MailMoment, pageLinks } from './page-links.ts'

const lookedAt = 100

/** The updates of an incident that subscribers were not told of yet, newest first, for each page that shows it. */
export const incidentMails = async (
  trx: Db,
  { subject: id, account_id: accountId, since }: AnnouncementsTable,
  moment: MailMoment,
): Promise<PageMail[]> => {
  const incident = await trx.get(findIncident, { id, accountId })
  if (!incident) return []
  const ids = [id]
  const updates = (await trx.all(updatesOfIncidents, { ids, limit: lookedAt })).filter(
    ({ created_at, notify_subscribers }) => created_at >= since && notify_subscribers,
  )
  const [latest] = updates
  if (!latest) return []
  const services = (await trx.all(servicesOfIncidents, { ids })).map(({ name }) => name)
  const pages = await trx.all(pagesOfIncident, { incidentId: id })
  const links = await pageLinks(trx, pages, moment)
  const wordsOf = await wordsOfPages(
    trx,
    pages.map((page) => page.id),
  )
  return pages.map((page) => {
    const words = wordsOf(page.id)
    const status = words.incidentStatuses[latest.status] ?? latest.status
    const severity = words.severities[incident.severity] ?? incident.severity
    return {
      pageId: page.id,
      content: mailTemplate({
        subject: `[${pageDoc.read(page.doc).name}] ${status}: ${incident.name}`,
        heading: incident.name,
        parts: [
          `${words.mail.severity}: ${severity}\n${words.affected}: ${services.join(', ')}`,
          ...updates.map((update) => partOf(words, update)),
          ...(links.get(page.id) ?? []).map((url) => ({ label: words.mail.open, url })),
        ],
      }),
    }
  })
}

const partOf = (words: Words, { status, description, published_at }: IncidentUpdatesTable): Part => ({
  title: `${words.incidentStatuses[status] ?? status}, ${mailInstant(words, published_at)}`,
  text: description,
})
