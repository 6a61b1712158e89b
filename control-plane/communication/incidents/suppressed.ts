import type { Db } from '../../platform/store/database/db.ts'
import { activeWindows } from '../maintenance-windows/active-windows.ts'
import { openWindows } from '../maintenance-windows/queries.ts'
import type { StatusPageVisibility } from '../maintenance-windows/schema.ts'
import { windowDoc } from '../maintenance-windows/window-doc.ts'
import { planOf, touchedOf, untouched } from '../maintenance-windows/window-plans.ts'
import { pagesWithService } from './automatic-queries.ts'

type ServiceAtInstant = { accountId: string; serviceId: string; now: number }

/** Whether a maintenance that is shown on a page covers the service there and wants no automatic incidents meanwhile. */
export const incidentsSuppressed = async (
  trx: Db,
  { accountId, serviceId, now }: ServiceAtInstant,
): Promise<boolean> => {
  for (const row of await trx.all(openWindows, { accountIds: [accountId], now })) {
    const { statusPageVisibility } = windowDoc.read(row.doc)
    if (!(await covers(trx, statusPageVisibility, serviceId))) continue
    // Nobody has touched an occurrence of a window whose end is known.
    const touched = row.over_at === null ? await touchedOf(trx, row.id) : untouched
    if (activeWindows([planOf(row, touched)], now).length > 0) return true
  }
  return false
}

const covers = async (
  trx: Db,
  { enabled, suppressAutoIncidents, affectAllServices, serviceIds, statusPageIds }: StatusPageVisibility,
  serviceId: string,
): Promise<boolean> => {
  if (!enabled || !suppressAutoIncidents || statusPageIds.length === 0) return false
  if (!affectAllServices && !serviceIds.includes(serviceId)) return false
  const shown = { serviceId, pageIds: statusPageIds }
  return (await trx.get(pagesWithService, shown)) !== undefined
}
