import { dropSubscriptions } from '../../alerting/alert-channels/subscriptions.ts'
import { deleteAlertsOfCheck } from '../../alerting/check-alerts/queries.ts'
import { deleteAlertState } from '../../alerting/engine/state-queries.ts'
import { resolveForStoppedCheck } from '../../communication/incidents/open-or-resolve.ts'
import { deleteErrorGroups } from '../../insight/error-groups/delete-error-groups.ts'
import type { App } from '../../platform/app.ts'
import type { Db } from '../../platform/database/db.ts'
import { notFound } from '../../platform/http/errors.ts'
import { expireArtifactsOfCheck } from '../artifacts/queries.ts'
import { dropLook } from '../certificate-expiry/sync-certificate-watch.ts'
import { shareGroup } from '../check-groups/queries.ts'
import { endSessionRun } from '../check-sessions/advance-session.ts'
import { deleteSessionRunsOfCheck, deleteSessionsOfCheck } from '../check-sessions/queries.ts'
import { deleteStatus } from '../check-statuses/queries.ts'
import { dropHeartbeat } from '../heartbeats/heartbeat.ts'
import { dropSchedule } from '../runs/schedule.ts'
import type { Making } from './apply-to-schedule.ts'
import {
  deleteCheck,
  deleteFiles,
  deleteJobsOfCheck,
  deleteMissedRunsOfCheck,
  deleteNotificationsOfCheck,
  deleteResultsOfCheck,
  deleteTags,
  sessionJobsOfCheck,
} from './queries.ts'

type One = { id: string; accountId: string }

/** With everything that is known about it, in one transaction. @throws ApiError 404 */
export const removeCheck = async (app: App, { id, accountId }: One): Promise<void> => {
  const making = { now: app.clock.now(), newId: app.newId }
  const wake = await app.db.transaction(async (trx) => {
    // First: whoever is just writing something about it finishes before, or no longer finds it.
    const deleted = await trx.get(deleteCheck, { id, accountId })
    if (!deleted) throw notFound()
    // A change of its group that has already seen the check finishes before its schedule is dropped.
    if (deleted.group_id !== null) await trx.get(shareGroup, { id: deleted.group_id, accountId })
    const checkId = id
    const names = await endSessions(trx, checkId, making)
    await dropSchedule(trx, checkId)
    await trx.run(deleteJobsOfCheck, { checkId })
    await trx.run(deleteSessionRunsOfCheck, { checkId })
    await trx.run(deleteSessionsOfCheck, { checkId })
    await dropHeartbeat(trx, checkId)
    await dropLook(trx, checkId)
    await resolveForStoppedCheck(trx, checkId, making)
    await trx.run(deleteResultsOfCheck, { checkId })
    await trx.run(expireArtifactsOfCheck, { checkId, now: making.now })
    await trx.run(deleteMissedRunsOfCheck, { checkId })
    await trx.run(deleteStatus, { checkId })
    await trx.run(deleteAlertState, { checkId })
    await trx.run(deleteAlertsOfCheck, { checkId, accountId })
    await trx.run(deleteNotificationsOfCheck, { checkId, accountId })
    await deleteErrorGroups(trx, checkId)
    await dropSubscriptions(trx, { accountId, checkId })
    await trx.run(deleteTags, { checkId })
    await trx.run(deleteFiles, { checkId })
    return names
  })
  for (const name of new Set(wake)) app.wakeups.wake(name)
}

/** Other checks of a group that was triggered may be waiting for a run of this one to end. */
const endSessions = async (trx: Db, checkId: string, making: Making): Promise<string[]> => {
  const names: string[] = []
  for (const { sequence_id: sequenceId, lane: sessionId } of await trx.all(sessionJobsOfCheck, { checkId }))
    names.push(...(await endSessionRun(trx, { sessionId, sequenceId, state: 'cancelled' }, making)))
  return names
}
