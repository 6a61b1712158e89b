/** A service as each page that shows it tells its visitors: what they see is what its owner is told. */

import type { App } from '../../platform/app/app.ts'
import { query } from '../../platform/store/database/query.ts'
import { findCachedPage } from './cached-pages.ts'
import type { IncidentView, ServiceView } from './model.ts'

const pagesOfService = query('pages-of-service', (k, p: { serviceId: string; accountId: string }) =>
  k
    .selectFrom('status_pages as page')
    .innerJoin('status_page_card_services as shown', 'shown.status_page_id', 'page.id')
    .select(['page.id', 'page.url', 'page.created_at'])
    .distinct()
    .where('shown.service_id', '=', p.serviceId)
    .where('shown.account_id', '=', p.accountId)
    .orderBy('page.created_at')
    .orderBy('page.id'),
)

export type ServiceOnPage = {
  pageId: string
  pageName: string
  service: ServiceView
  open: readonly IncidentView[]
}

export const serviceOnPages = async (
  app: App,
  { serviceId, accountId }: { serviceId: string; accountId: string },
): Promise<ServiceOnPage[]> => {
  const shown: ServiceOnPage[] = []
  for (const { id: pageId, url } of await app.db.all(pagesOfService, { serviceId, accountId })) {
    const page = await findCachedPage(app, url)
    const service = page?.model.cards.flatMap(({ services }) => services).find(({ id }) => id === serviceId)
    if (page === null || service === undefined) continue
    const open = page.model.open.filter(({ services }) => services.some(({ id }) => id === serviceId))
    shown.push({ pageId, pageName: page.model.branding.name, service, open })
  }
  return shown
}
