import { instantInWords } from '../../platform/services/mail/dates.ts'
import { mailTemplate, type Part } from '../../platform/services/mail/mail-template.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AnnouncementsTable } from '../../platform/store/database/tables/mails.ts'
import type { IncidentUpdatesTable } from '../../platform/store/database/tables/status-pages.ts'
import { findIncident, pagesOfIncident, servicesOfIncidents } from '../incidents/queries.ts'
import { updatesOfIncidents } from '../incidents/update-queries.ts'
import type { PageMail } from '../status-page-subscriptions/announce.ts'
import { pageDoc } from '../stored-pages/page-doc.ts'
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
  return pages.map((page) => ({
    pageId: page.id,
    content: mailTemplate({
      subject: `[${pageDoc.read(page.doc).name}] ${wordOf(latest.status)}: ${incident.name}`,
      heading: incident.name,
      parts: [
        `Severity: ${incident.severity.toLowerCase()}\nAffected: ${services.join(', ')}`,
        ...updates.map(partOf),
        ...(links.get(page.id) ?? []),
      ],
    }),
  }))
}

const partOf = ({ status, description, published_at }: IncidentUpdatesTable): Part => ({
  title: `${wordOf(status)}, ${instantInWords(published_at)}`,
  text: description,
})

/** `INVESTIGATING` → `Investigating`, `IN_PROGRESS` → `In progress`. */
export const wordOf = (status: string): string => {
  const words = status.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
