/** All SQL that changes one component of a page. */
import { query } from '../../platform/store/database/query.ts'

type CardChange = { pageId: string; id: string; name: string; position: number; doc: string; now: number }

export const changeCard = query('change-card', (k, p: CardChange) =>
  k
    .updateTable('status_page_cards')
    .set({ name: p.name, position: p.position, doc: p.doc, updated_at: p.now })
    .where('status_page_id', '=', p.pageId)
    .where('id', '=', p.id),
)

export const deleteCard = query('delete-card', (k, p: { pageId: string; id: string }) =>
  k.deleteFrom('status_page_cards').where('status_page_id', '=', p.pageId).where('id', '=', p.id),
)

export const deleteCardService = query('delete-card-service', (k, p: { pageId: string; serviceId: string }) =>
  k
    .deleteFrom('status_page_card_services')
    .where('status_page_id', '=', p.pageId)
    .where('service_id', '=', p.serviceId),
)

/** What is on the other card already stays there once. */
export const moveCardServices = query(
  'move-card-services',
  (k, p: { pageId: string; from: string; to: string }) =>
    k
      .updateTable('status_page_card_services')
      .set({ card_id: p.to })
      .where('status_page_id', '=', p.pageId)
      .where('card_id', '=', p.from)
      .where('service_id', 'not in', (at) =>
        at
          .selectFrom('status_page_card_services as other')
          .select('other.service_id')
          .where('other.status_page_id', '=', p.pageId)
          .where('other.card_id', '=', p.to),
      ),
)

export const deleteServicesOfCard = query('delete-services-of-card', (k, p: { pageId: string; id: string }) =>
  k
    .deleteFrom('status_page_card_services')
    .where('status_page_id', '=', p.pageId)
    .where('card_id', '=', p.id),
)

/** Only one that no page shows and no incident names. */
export const deleteUnusedService = query('delete-unused-service', (k, p: { id: string; accountId: string }) =>
  k
    .deleteFrom('status_page_services')
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('id', 'not in', (at) =>
      at.selectFrom('status_page_card_services').select('service_id').where('service_id', '=', p.id),
    )
    .where('id', 'not in', (at) =>
      at.selectFrom('incident_services').select('service_id').where('service_id', '=', p.id),
    ),
)
