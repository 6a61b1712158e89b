/** Which checks belong to which service (`triggerIncident`), since when, and how they are. */
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { checksOfServices } from './queries.ts'
import type { ServiceCheck } from './states.ts'

/** `since`: of the link; `measuredFrom`: the first run that was judged, or the link where that was later; null: there was none. */
export type LinkedCheck = { id: string; since: number; measuredFrom: number | null; now: ServiceCheck | null }

/** By service. */
export const linkedChecks = async (
  db: Db,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly LinkedCheck[]>> => {
  const rows = await db.all(checksOfServices, { serviceIds })
  const checks = new Map<string, LinkedCheck[]>()
  for (const { check_id: id, service_id, active, linked_at: since, doc, state, created_at } of rows) {
    const severity = checkDoc.read(doc).triggerIncident?.severity ?? 'MINOR'
    const linked = {
      ...{ id, since, measuredFrom: created_at === null ? null : Math.max(since, created_at) },
      now: active && state !== null ? { state: state as ServiceCheck['state'], severity } : null,
    }
    checks.set(service_id, [...(checks.get(service_id) ?? []), linked])
  }
  return checks
}
