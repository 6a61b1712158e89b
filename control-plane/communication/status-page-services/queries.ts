/** All SQL about services. */

import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import type { StatusPageServicesTable } from '../../platform/database/tables/status-pages.ts'
import type { Place } from '../../platform/shapes/created-cursor.ts'

type OneService = { id: string; accountId: string }

export const findService = query('find-service', (k, p: OneService) =>
  k
    .selectFrom('status_page_services')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId),
)

/** Those of the ids that the account has; none of them is deleted until the transaction ends. */
export const shareServices = query(
  'share-services',
  (k, p: { accountId: string; ids: readonly string[] }, engine) => {
    const found = k
      .selectFrom('status_page_services')
      .selectAll()
      .where('account_id', '=', p.accountId)
      .where('id', 'in', engine.textList(p.ids))
      .orderBy('id')
    return engine.rowLocks ? found.forShare() : found
  },
)

export const insertService = query('insert-service', (k, p: StatusPageServicesTable) =>
  k.insertInto('status_page_services').values({
    id: p.id,
    account_id: p.account_id,
    name: p.name,
    created_at: p.created_at,
    updated_at: p.updated_at,
  }),
)

export const renameService = query('rename-service', (k, p: OneService & { name: string; now: number }) =>
  k
    .updateTable('status_page_services')
    .set({ name: p.name, updated_at: p.now })
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .returningAll(),
)

export const deleteService = query('delete-service', (k, p: OneService) =>
  k.deleteFrom('status_page_services').where('id', '=', p.id).where('account_id', '=', p.accountId),
)

export const deleteServiceFromCards = query('delete-service-from-cards', (k, p: { id: string }) =>
  k.deleteFrom('status_page_card_services').where('service_id', '=', p.id),
)

export const deleteServiceFromIncidents = query('delete-service-from-incidents', (k, p: { id: string }) =>
  k.deleteFrom('incident_services').where('service_id', '=', p.id),
)

/** Oldest first; all without a limit. */
export const listServices = (
  db: Db,
  accountId: string,
  { after, limit }: { after?: Place | undefined; limit?: number },
): Promise<StatusPageServicesTable[]> =>
  db.select((k) => {
    let list = k.selectFrom('status_page_services').selectAll().where('account_id', '=', accountId)
    if (after !== undefined)
      list = list.where((at) => at(at.refTuple('created_at', 'id'), '>', at.tuple(after.createdAt, after.id)))
    list = list.orderBy('created_at').orderBy('id')
    return limit === undefined ? list : list.limit(limit)
  })
