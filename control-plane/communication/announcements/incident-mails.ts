import { mailTemplate, type Part } from '../../platform/services/mail/mail-template.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AnnouncementsTable } from '../../platform/store/database/tables/mails.ts'
import type { IncidentUpdatesTable } from '../../platform/store/database/tables/status-pages.ts'
import { findIncident, pagesOfIncident, servicesOfIncidents } from '../incidents/queries.ts'
import { updatesOfIncidents } from '../incidents/update-queries.ts'
import type { PageMail } from '../status-page-subscriptions/announce.ts'
import { inLanguage, said } from '../stored-pages/translations.ts'
import { mailEnding, mailInstant } from '../stored-pages/words/mail-words.ts'
import type { Words } from '../stored-pages/words/words.ts'
import { inLanguages } from './in-languages.ts'
import type { MailMoment } from './page-links.ts'

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
  const services = await trx.all(servicesOfIncidents, { ids })
  const pages = await trx.all(pagesOfIncident, { incidentId: id })
  const titles = said(incident)
  return inLanguages(trx, { pages, services, moment }, (words, page) => {
    const { lang } = words
    const { name } = inLanguage(titles, lang)
    const status = words.incidentStatuses[latest.status] ?? latest.status
    const severity = words.severities[incident.severity] ?? incident.severity
    const names = services.map((service) => inLanguage(said(service), lang).name)
    return mailTemplate({
      lang,
      ending: mailEnding(words),
      subject: `[${page.name}] ${status}: ${name}`,
      heading: name,
      parts: [
        `${words.mail.severity}: ${severity}\n${words.affected}: ${names.join(', ')}`,
        ...updates.map((update) => partOf(words, update)),
        ...page.links.map((url) => ({ label: words.mail.open, url })),
      ],
    })
  })
}

const partOf = (words: Words, { status, published_at, ...update }: IncidentUpdatesTable): Part => ({
  title: `${words.incidentStatuses[status] ?? status}, ${mailInstant(words, published_at)}`,
  text: inLanguage(said(update), words.lang).description,
})
