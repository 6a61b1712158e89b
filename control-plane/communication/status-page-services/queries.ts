/** All SQL about services. */

import { documentQueries } from '../../platform/store/database/document-queries.ts'
import { query } from '../../platform/store/database/query.ts'

export const {
  find: findService,
  shareSome: shareServices,
  after: listServices,
  insert: insertService,
  remove: deleteService,
} = documentQueries('status_page_services', {
  name: 'service',
  key: 'id',
  columns: { name: 'changes', translations: 'changes', created_at: 'stays', updated_at: 'changes' },
})

/** `translations`: null where they stay. */
export const renameService = query(
  'rename-service',
  (k, p: { id: string; accountId: string; name: string; translations: string | null; now: number }) =>
    k
      .updateTable('status_page_services')
      .set((at) => ({
        name: p.name,
        translations: at.fn.coalesce(at.cast<string | null>(at.val(p.translations), 'text'), 'translations'),
        updated_at: p.now,
      }))
      .where('id', '=', p.id)
      .where('account_id', '=', p.accountId)
      .returningAll(),
)

export const deleteServiceFromCards = query('delete-service-from-cards', (k, p: { id: string }) =>
  k.deleteFrom('status_page_card_services').where('service_id', '=', p.id),
)

export const deleteServiceFromIncidents = query('delete-service-from-incidents', (k, p: { id: string }) =>
  k.deleteFrom('incident_services').where('service_id', '=', p.id),
)
