import { checksWithIncidents } from '../../communication/incidents/automatic-queries.ts'
import { openByRules, type Rules } from '../../communication/incidents/open-by-rules.ts'
import {
  openIncident,
  resolveIncidents,
  type TriggerIncident,
} from '../../communication/incidents/open-or-resolve.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AlertEvent } from '../messages/alert-event.ts'
import type { AlertType } from '../messages/alert-types.ts'
import { isToldFailing } from './advance.ts'
import { alertStateDoc } from './alert-state-doc.ts'
import type { AlertSubject } from './alert-subject.ts'
import { lockOpenAlertState } from './state-queries.ts'

/** `ALERT_FAILURE_REMAIN` is the first alert of a failure where a threshold asks for several runs. */
const opening = new Set<AlertType>(['ALERT_FAILURE', 'ALERT_FAILURE_REMAIN', 'ALERT_DEGRADED_FAILURE'])
/** A check that is degraded after a failure has not recovered. */
const resolving = new Set<AlertType>(['ALERT_RECOVERY', 'ALERT_DEGRADED_RECOVERY'])

/** `trigger`: what the check declares now; null opens nothing, and still resolves what was opened before. `at`: since when it is so. */
export type ToldEvent = { event: AlertEvent; trigger: AlertSubject['triggerIncident']; at: number }

/** What transitions do to the incidents of their checks, one after the other. */
export const changeIncidents = async (
  trx: Db,
  told: readonly ToldEvent[],
  { rules, ...stamp }: Stamp & { rules: Rules },
): Promise<void> => {
  const recovered = told.filter(({ event }) => resolving.has(event.alertType))
  const open = await checksWithIncidents(
    trx,
    recovered.map(({ event }) => event.checkId),
  )
  for (const { event, trigger, at } of told) {
    const { alertType, checkId, accountId, tags } = event
    if (opening.has(alertType)) {
      if (trigger !== null) await openIncident(trx, { accountId, checkId, at }, trigger, stamp)
      await openByRules(trx, { accountId, checkId, tags, at, rules }, stamp)
      open.add(checkId)
    }
    if (resolving.has(alertType) && open.has(checkId)) await resolveIncidents(trx, checkId, { at, ...stamp })
  }
}

export type FailingCheck = {
  accountId: string
  checkId: string
  triggerIncident: TriggerIncident | null
  tags: readonly string[]
}

/**
 * A failure that people were told of is an incident also where none was opened then: the check has come to the service or to a rule since, or
 * maintenance or the time after another incident kept it back.
 */
export const keepOpen = async (
  trx: Db,
  failing: readonly FailingCheck[],
  { rules, ...stamp }: Stamp & { rules: Rules },
): Promise<void> => {
  for (const { triggerIncident, tags, ...check } of failing) {
    const since = { ...check, at: stamp.now }
    if (triggerIncident !== null) await openIncident(trx, since, triggerIncident, stamp)
    await openByRules(trx, { ...since, tags, rules }, stamp)
  }
}

/** A check was written that may be failing already. Whether rules fit it, its next run says. */
export const openForFailing = async (
  trx: Db,
  check: Omit<FailingCheck, 'tags'>,
  stamp: Stamp,
): Promise<void> => {
  const row = await trx.get(lockOpenAlertState, { checkId: check.checkId })
  if (row === undefined || row.doc === '') return
  const { state } = alertStateDoc.read(row.doc)
  if (isToldFailing(state)) await keepOpen(trx, [{ ...check, tags: [] }], { rules: [], ...stamp })
}
