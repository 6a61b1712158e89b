import { mailTemplate, type Part } from '../../platform/services/mail/mail-template.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AnnouncementsTable } from '../../platform/store/database/tables/mails.ts'
import type { MaintenanceUpdatesTable } from '../../platform/store/database/tables/maintenance-windows.ts'
import type {
  StatusPageServicesTable,
  StatusPagesTable,
} from '../../platform/store/database/tables/status-pages.ts'
import { lifetimeOf } from '../maintenance-windows/active-windows.ts'
import { occurrenceOn } from '../maintenance-windows/occurrences.ts'
import { phasesOf, statusAt } from '../maintenance-windows/phases.ts'
import { findWindow } from '../maintenance-windows/queries.ts'
import { windowDoc } from '../maintenance-windows/window-doc.ts'
import { planOf, touchedOf } from '../maintenance-windows/window-plans.ts'
import { shareServices } from '../status-page-services/queries.ts'
import type { PageMail } from '../status-page-subscriptions/announce.ts'
import { findPage } from '../stored-pages/queries.ts'
import { inLanguage, said } from '../stored-pages/translations.ts'
import { filled, mailEnding, mailInstant } from '../stored-pages/words/mail-words.ts'
import type { Words } from '../stored-pages/words/words.ts'
import { inLanguages } from './in-languages.ts'
import type { MailMoment } from './page-links.ts'

/** Where a maintenance stands, with the updates that subscribers were not told of yet, for each page that shows it. */
export const maintenanceMails = async (
  trx: Db,
  { subject, account_id: accountId, since }: AnnouncementsTable,
  moment: MailMoment,
): Promise<PageMail[]> => {
  const [windowId = '', date = ''] = subject.split('/')
  const window = await trx.get(findWindow, { id: Number(windowId), accountId })
  if (!window) return []
  const { statusPageVisibility: shown, description, translations } = windowDoc.read(window.doc)
  if (!shown.enabled) return []
  const touched = await touchedOf(trx, window.id)
  const plan = planOf(window, touched)
  const occurrence = occurrenceOn(plan, date)
  if (!occurrence || plan.exceptions.get(date)?.deleted) return []
  const life = lifetimeOf(plan, occurrence)
  const status = statusAt(phasesOf(life), moment.now)
  const services = shown.showAffectedServices ? await servicesOf(trx, accountId, shown.serviceIds) : []
  const texts = { name: window.name, description, translations }
  const news = touched.updates
    .filter((row) => row.date === date && row.created_at >= since && row.notify_subscribers)
    .reverse()
  const pages = await pagesOf(trx, accountId, shown.statusPageIds)
  return inLanguages(trx, { pages, services, moment }, (words, page) => {
    const { lang } = words
    const { name, description: text } = inLanguage(texts, lang)
    const names = services.map((service) => inLanguage(said(service), lang).name)
    const headline = `${words.mail.headlines[status] ?? status}: ${name}`
    return mailTemplate({
      lang,
      ending: mailEnding(words),
      subject: `[${page.name}] ${headline}`,
      heading: headline,
      parts: [
        filled(words.mail.span, {
          from: mailInstant(words, life.startsAt),
          to: mailInstant(words, life.endsAt),
        }),
        ...(names.length > 0 ? [`${words.affected}: ${names.join(', ')}`] : []),
        ...(text === null ? [] : [text]),
        ...news.map((row) => partOf(words, row)),
        ...page.links.map((url) => ({ label: words.mail.open, url })),
      ],
    })
  })
}

const partOf = (words: Words, { status, created_at, ...update }: MaintenanceUpdatesTable): Part => ({
  title: `${words.maintenanceStatuses[status] ?? status}, ${mailInstant(words, created_at)}`,
  text: inLanguage(said(update), words.lang).description,
})

const servicesOf = async (
  trx: Db,
  accountId: string,
  ids: readonly string[],
): Promise<StatusPageServicesTable[]> => (ids.length === 0 ? [] : trx.all(shareServices, { accountId, ids }))

const pagesOf = async (
  trx: Db,
  accountId: string,
  pageIds: readonly string[],
): Promise<StatusPagesTable[]> => {
  const pages: StatusPagesTable[] = []
  for (const id of pageIds) {
    const page = await trx.get(findPage, { id, accountId })
    if (page) pages.push(page)
  }
  return pages
}
