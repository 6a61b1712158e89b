import { openIncident, resolveIncidents } from '../../communication/incidents/open-or-resolve.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AlertEvent } from '../messages/alert-event.ts'
import type { AlertType } from '../messages/alert-types.ts'
import type { AlertSubject } from './alert-subject.ts'

/** `ALERT_FAILURE_REMAIN` is the first alert of a failure where a threshold asks for several runs. */
const opening = new Set<AlertType>(['ALERT_FAILURE', 'ALERT_FAILURE_REMAIN', 'ALERT_DEGRADED_FAILURE'])
/** A check that is degraded after a failure has not recovered. */
const resolving = new Set<AlertType>(['ALERT_RECOVERY', 'ALERT_DEGRADED_RECOVERY'])

/** What a transition does to the check's incidents. `trigger`: what the check declares now; null opens nothing, and still resolves what was opened before. */
export const changeIncidents = async (
  trx: Db,
  event: AlertEvent,
  trigger: AlertSubject['triggerIncident'],
  stamp: Stamp,
): Promise<void> => {
  if (opening.has(event.alertType) && trigger !== null) await openIncident(trx, event, trigger, stamp)
  if (resolving.has(event.alertType)) await resolveIncidents(trx, event.checkId, { at: event.at, ...stamp })
}
