import { mailTemplate, type Part } from '../../platform/services/mail/mail-template.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AnnouncementsTable } from '../../platform/store/database/tables/mails.ts'
import type { StatusPagesTable } from '../../platform/store/database/tables/status-pages.ts'
import { lifetimeOf } from '../maintenance-windows/active-windows.ts'
import { occurrenceOn } from '../maintenance-windows/occurrences.ts'
import { phasesOf, statusAt } from '../maintenance-windows/phases.ts'
import { findWindow } from '../maintenance-windows/queries.ts'
import { windowDoc } from '../maintenance-windows/window-doc.ts'
import { planOf, touchedOf } from '../maintenance-windows/window-plans.ts'
import { shareServices } from '../status-page-services/queries.ts'
import type { PageMail } from '../status-page-subscriptions/announce.ts'
import { pageDoc } from '../stored-pages/page-doc.ts'
import { wordsOfPages } from '../stored-pages/publication-doc.ts'
import { findPage } from '../stored-pages/queries.ts'
import { filled, mailInstant } from '../stored-pages/words/mail-words.ts'
import type { Words } from '../stored-pages/words/words.ts'
import { type MailMoment, pageLinks } from './page-links.ts'

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
  const partsIn = (words: Words): Part[] => [
    filled(words.mail.span, {
      from: mailInstant(words, life.startsAt),
      to: mailInstant(words, life.endsAt),
    }),
    ...(services.length > 0 ? [`${words.affected}: ${services.join(', ')}`] : []),
    ...(description === null ? [] : [description]),
    ...news.map((row) => ({
      title: `${words.maintenanceStatuses[row.status] ?? row.status}, ${mailInstant(words, row.created_at)}`,
      text: row.description,
    })),
  ]
  const pages = await pagesOf(trx, accountId, shown.statusPageIds)
  const links = await pageLinks(trx, pages, moment)
  const wordsOf = await wordsOfPages(
    trx,
    pages.map((page) => page.id),
  )
  return pages.map((page) => {
    const words = wordsOf(page.id)
    const headline = `${words.mail.headlines[status] ?? status}: ${window.name}`
    return {
      pageId: page.id,
      content: mailTemplate({
        subject: `[${pageDoc.read(page.doc).name}] ${headline}`,
        heading: headline,
        parts: [
          ...partsIn(words),
          ...(links.get(page.id) ?? []).map((url) => ({ label: words.mail.open, url })),
        ],
      }),
    }
  })
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
