import { alertStateDoc } from '../../../alerting/engine/alert-state-doc.ts'
import { applyTransitions } from '../../../alerting/engine/apply-transitions.ts'
import {
  deleteAlertState,
  dueAlertStates,
  lockDueAlertState,
} from '../../../alerting/engine/state-queries.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasMetrics } from '../../../platform/app/metrics.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { neighboursIn } from '../dependencies/neighbours.ts'
import { watchFlapping } from './alert-state-metrics.ts'
import { alertSubject } from './read-alert-subject.ts'

const statesPerLook = 500

/**
 * What time alone brings: a failure that has lasted long enough, reminders, and what a silence kept back. Each check in a
 * transaction of its own; of several control planes the one that still finds it due under the lock handles it.
 */
export const alertStatesTick = async (app: App & HasWakeups & HasMetrics): Promise<void> => {
  watchFlapping(app)
  const now = app.clock.now()
  const due = await app.db.all(dueAlertStates, { now, limit: statesPerLook })
  for (const { check_id: checkId } of due) {
    const stamp = { now, newId: app.newId }
    const wake = await app.db.transaction((trx) => passTime(trx, checkId, stamp))
    for (const name of wake) app.wakeups.wake(name)
  }
}

const passTime = async (trx: Db, checkId: string, { now, newId }: Stamp): Promise<string[]> => {
  const row = await trx.get(lockDueAlertState, { checkId, now })
  if (!row) return []
  const subject = await alertSubject(trx, checkId)
  if (!subject) {
    await trx.run(deleteAlertState, { checkId })
    return []
  }
  const before = alertStateDoc.read(row.doc)
  return applyTransitions(
    trx,
    { subject, before, after: before, run: null },
    { now, newId, neighbours: neighboursIn(trx, { now, newId }, { subjects: [subject] }) },
  )
}
