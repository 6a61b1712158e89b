/** All SQL about cards and the services on them. */
import { query } from '../../platform/store/database/query.ts'
import type {
  StatusPageCardServicesTable,
  StatusPageCardsTable,
} from '../../platform/store/database/tables/status-pages.ts'

export const cardsOfPages = query('cards-of-pages', (k, p: { pageIds: readonly string[] }, engine) =>
  k
    .selectFrom('status_page_cards')
    .selectAll()
    .where('status_page_id', 'in', engine.textList(p.pageIds))
    .orderBy('position')
    .orderBy('id'),
)

export const cardServicesOfPages = query(
  'card-services-of-pages',
  (k, p: { pageIds: readonly string[] }, engine) =>
    k
      .selectFrom('status_page_card_services as shown')
      .innerJoin('status_page_services as service', 'service.id', 'shown.service_id')
      .selectAll('service')
      .select(['shown.status_page_id', 'shown.card_id', 'shown.position', 'shown.doc'])
      .where('shown.status_page_id', 'in', engine.textList(p.pageIds))
      .orderBy('shown.position')
      .orderBy('shown.service_id'),
)

/** The services on the cards of pages; they stay there until the transaction ends. */
export const servicesOnPages = query(
  'services-on-pages',
  (k, p: { accountId: string; pageIds: readonly string[] }, engine) => {
    const shown = k
      .selectFrom('status_page_card_services')
      .select('service_id')
      .where('account_id', '=', p.accountId)
      .where('status_page_id', 'in', engine.textList(p.pageIds))
      .orderBy('service_id')
    return engine.rowLocks ? shown.forShare() : shown
  },
)

export const insertCard = query('insert-card', (k, p: StatusPageCardsTable) =>
  k.insertInto('status_page_cards').values({
    status_page_id: p.status_page_id,
    id: p.id,
    account_id: p.account_id,
    position: p.position,
    name: p.name,
    translations: p.translations,
    created_at: p.created_at,
    updated_at: p.updated_at,
    doc: p.doc,
  }),
)

export const insertCardService = query('insert-card-service', (k, p: StatusPageCardServicesTable) =>
  k.insertInto('status_page_card_services').values({
    status_page_id: p.status_page_id,
    card_id: p.card_id,
    service_id: p.service_id,
    account_id: p.account_id,
    position: p.position,
    doc: p.doc,
  }),
)

export const deleteCardsOfPage = query('delete-cards-of-page', (k, p: { pageId: string }) =>
  k.deleteFrom('status_page_cards').where('status_page_id', '=', p.pageId),
)

export const deleteCardServicesOfPage = query('delete-card-services-of-page', (k, p: { pageId: string }) =>
  k.deleteFrom('status_page_card_services').where('status_page_id', '=', p.pageId),
)
