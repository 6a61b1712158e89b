import { instantInWords } from '../../platform/services/mail/dates.ts'
import { mailTemplate, type Part } from '../../platform/services/mail/mail-template.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AnnouncementsTable } from '../../platform/store/database/tables/mails.ts'
import type { StatusPagesTable } from '../../platform/store/database/tables/status-pages.ts'
import { lifetimeOf } from '../maintenance-windows/active-windows.ts'
import { occurrenceOn } from '../maintenance-windows/occurrences.ts'
import { type MaintenanceStatus, phasesOf, statusAt } from '../maintenance-windows/phases.ts'
import { findWindow } from '../maintenance-windows/queries.ts'
import { windowDoc } from '../maintenance-windows/window-doc.ts'
import { planOf, touchedOf } from '../maintenance-windows/window-plans.ts'
import { shareServices } from '../status-page-services/queries.ts'
import type { PageMail } from '../status-page-subscriptions/announce.ts'
import { pageDoc } from '../stored-pages/page-doc.ts'
import { findPage } from '../stored-pages/queries.ts'
import { wordOf } from './incident-mails.ts'
import { type MailMoment, pageLinks } from './page-links.ts'

const headlines: Record<MaintenanceStatus, string> = {
  SCHEDULED: 'Maintenance planned',
  IN_PROGRESS: 'Maintenance has begun',
  VERIFYING: 'Maintenance is being verified',
  COMPLETED: 'Maintenance is over',
  CANCELLED: 'Maintenance cancelled',
}

/** Where a maintenance stands, with the updates that subscribers were not told of yet, for each page that shows it. */
export const maintenanceMails = async (
  trx: Db,
  { subject, account_id: accountId, since }: AnnouncementsTable,
  moment: MailMoment,
): Promise<PageMail[]> => {
  const [windowId = '', date = ''] = subject.split('/')
  const window = await trx.get(findWindow, { id: Number(windowId), accountId })
  if (!window) return []
  const { statusPageVisibility: shown, description } = windowDoc.read(window.doc)
  if (!shown.enabled) return []
  const touched = await touchedOf(trx, window.id)
  const plan = planOf(window, touched)
  const occurrence = occurrenceOn(plan, date)
  if (!occurrence || plan.exceptions.get(date)?.deleted) return []
  const life = lifetimeOf(plan, occurrence)
  const status = statusAt(phasesOf(life), moment.now)
  const services = shown.showAffectedServices ? await namesOf(trx, accountId, shown.serviceIds) : []
  const news = touched.updates
    .filter((row) => row.date === date && row.created_at >= since && row.notify_subscribers)
    .reverse()
  const parts: Part[] = [
    `From ${instantInWords(life.startsAt)} to ${instantInWords(life.endsAt)}`,
    ...(services.length > 0 ? [`Affected: ${services.join(', ')}`] : []),
    ...(description === null ? [] : [description]),
    ...news.map((row) => ({
      title: `${wordOf(row.status)}, ${instantInWords(row.created_at)}`,
      text: row.description,
    })),
  ]
  const pages = await pagesOf(trx, accountId, shown.statusPageIds)
  const links = await pageLinks(trx, pages, moment)
  return pages.map((page) => ({
    pageId: page.id,
    content: mailTemplate({
      subject: `[${pageDoc.read(page.doc).name}] ${headlines[status]}: ${window.name}`,
      heading: `${headlines[status]}: ${window.name}`,
      parts: [...parts, ...(links.get(page.id) ?? [])],
    }),
  }))
}

const namesOf = async (trx: Db, accountId: string, serviceIds: readonly string[]): Promise<string[]> => {
  if (serviceIds.length === 0) return []
  const found = await trx.all(shareServices, { accountId, ids: serviceIds })
  return found.map(({ name }) => name)
}

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
