import { type HasUsers, requireUnused } from '../../access/snippets/require-unused.ts'
import type { App } from '../../platform/app/app.ts'
import { notFound } from '../../platform/words/errors.ts'
import { holdWindows, unlinkFromWindows } from '../maintenance-windows/unlink.ts'
import { deleteService, deleteServiceFromCards, deleteServiceFromIncidents } from './queries.ts'

/**
 * Takes the service off cards, incidents and maintenance windows. An incident that loses its last service stays: it is
 * history, and shows on no page.
 * @throws ApiError 404; 409 while checks open their incidents on it
 */
export const removeService = (app: App & HasUsers, id: string, accountId: string): Promise<void> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    await holdWindows(trx, accountId)
    // Before its links: whoever is just naming it finishes first, or no longer finds it.
    if ((await trx.run(deleteService, { id, accountId })) === 0) throw notFound()
    requireUnused(await app.lookups.usersOf(trx, accountId, { serviceId: id }))
    await trx.run(deleteServiceFromCards, { id })
    await trx.run(deleteServiceFromIncidents, { id })
    await unlinkFromWindows(trx, { accountId, list: 'serviceIds', id, now })
  })
}
