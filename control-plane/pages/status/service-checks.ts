/** Which checks belong to which service (`triggerIncident`), since when, and how they are. */
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { checksOfServices } from './queries.ts'
import type { ServiceCheck } from './states.ts'

/** `since`: of the link; `measuredFrom`: the first run that was judged, or the link where that was later; null: there was none. */
export type LinkedCheck = {
  id: string
  since: number
  measuredFrom: number | null
  now: ServiceCheck | null
  /** As what others depend on it: itself, and its group. */
  names: readonly string[]
  /** What it depends on and is down, because of which its failure is not told. */
  because: string | null
}

/** By service. */
export const linkedChecks = async (
  db: Db,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly LinkedCheck[]>> => {
  const rows = await db.all(checksOfServices, { serviceIds })
  const checks = new Map<string, LinkedCheck[]>()
  for (const { check_id: id, service_id, active, linked_at: since, doc, state, created_at, ...row } of rows) {
    const severity = checkDoc.read(doc).triggerIncident?.severity ?? 'MINOR'
    const linked = {
      ...{ id, since, measuredFrom: created_at === null ? null : Math.max(since, created_at) },
      now: active && state !== null ? { state: state as ServiceCheck['state'], severity } : null,
      names: [`check:${id}`, ...(row.group_id === null ? [] : [`group:${row.group_id}`])],
      because: row.phase === 'down' ? row.held_by : null,
    }
    checks.set(service_id, [...(checks.get(service_id) ?? []), linked])
  }
  return checks
}
