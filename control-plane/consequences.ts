/**
 * What follows from an event, beside the list of routes and the list of loops. Read it to know what a final result, a
 * missed run, a written or removed check and a changed account lead to, and in which order.
 *
 * Each function runs inside the transaction of its event: what follows is on disk with it or not at all. Nothing here
 * knows the network. The order is also the order of locks, the same in every transaction: checks of parallel runs, jobs,
 * then error group → status → certificate → session → alert state → incidents. Keep it when adding a line.
 */

import type { HasAccountConsequences } from './access/accounts/change-account.ts'
import { dropSubscriptions, subjectText } from './alerting/alert-channels/subscriptions.ts'
import { deleteKeptBackOfCheck } from './alerting/check-alerts/kept-back-queries.ts'
import { deleteAlertsOfCheck } from './alerting/check-alerts/queries.ts'
import { openForFailing } from './alerting/engine/change-incidents.ts'
import { deleteAlertState } from './alerting/engine/state-queries.ts'
import { deleteNotificationsOfCheck } from './alerting/notifications/queries.ts'
import { followCheck } from './communication/incidents/follow-check.ts'
import { resolveForStoppedCheck } from './communication/incidents/open-or-resolve.ts'
import { deleteServiceLink } from './communication/status-page-services/link-queries.ts'
import { joinErrorGroups } from './insight/error-groups/join-error-groups.ts'
import { deleteErrorGroupsOfCheck } from './insight/error-groups/queries.ts'
import { deleteAnalysesOfCheck } from './insight/root-cause-analyses/queries.ts'
import { expireArtifactsOfCheck } from './monitoring/artifacts/queries.ts'
import { applyAccountRuntime } from './monitoring/definitions/checks/apply-account-runtime.ts'
import { dropDependencies } from './monitoring/definitions/dependencies/save-dependencies.ts'
import type { Consequences, FinalResult } from './monitoring/outcomes/consequences.ts'
import { sessionRunStateOf } from './monitoring/outcomes/verdict.ts'
import { deleteSomeMissedRuns } from './monitoring/results/missed/queries.ts'
import { checkRemoved, queueResultsForRemoval } from './monitoring/results/remove-results.ts'
import { dropHeartbeat } from './monitoring/schedule/heartbeat.ts'
import { alertOnMissedRuns, alertOnResults } from './monitoring/watches/alert-states/alert-on-final.ts'
import { alertOnRunCertificates } from './monitoring/watches/certificate-expiry/alert-on-run-certificates.ts'
import {
  dropCertificateWatch,
  syncCertificateWatch,
} from './monitoring/watches/certificate-expiry/sync-certificate-watch.ts'
import { endRunOfSession } from './monitoring/watches/check-sessions/advance-session.ts'
import { cancelRunsOfCheck } from './monitoring/watches/check-sessions/cancel-runs-of-check.ts'
import {
  deleteSessionRunsOfCheck,
  deleteSessionsOfCheck,
} from './monitoring/watches/check-sessions/queries.ts'
import { deleteStatus } from './monitoring/watches/check-statuses/queries.ts'
import { recordMissedStatus } from './monitoring/watches/check-statuses/record-missed-status.ts'
import { recordRunStatuses } from './monitoring/watches/check-statuses/record-run-statuses.ts'
import type { WholeApp } from './whole-app.ts'

const failed = (result: FinalResult) => (result.error === null ? [] : [{ ...result, error: result.error }])

/** The last attempts of runs were stored as their results: each step for all of them, before the next one. Those of tests say nothing of their check. */
const onFinalResults: Consequences['onFinalResults'] = async (trx, results, stamp) => {
  const wake: string[] = []
  const own = results.filter(({ isTest }) => !isTest)
  await joinErrorGroups(trx, results.flatMap(failed), stamp)
  await recordRunStatuses(trx, own, stamp)
  wake.push(...(await alertOnRunCertificates(trx, own, stamp)))
  for (const result of results)
    wake.push(...(await endRunOfSession(trx, result, { state: sessionRunStateOf(result.verdict), ...stamp })))
  wake.push(...(await alertOnResults(trx, own, stamp)))
  return wake
}

/** Due times were recorded as missed. */
const onMissedRuns: Consequences['onMissedRuns'] = async (trx, missed, stamp) => {
  const wake: string[] = []
  const own = missed.filter(({ isTest }) => !isTest)
  for (const one of own) await recordMissedStatus(trx, one, stamp)
  for (const one of missed) wake.push(...(await endRunOfSession(trx, one, { state: 'missed', ...stamp })))
  wake.push(...(await alertOnMissedRuns(trx, own, stamp)))
  return wake
}

/** A check was created or changed, or the group that has a say in it. Its schedule is written by whoever wrote it. */
const onCheckWritten: Consequences['onCheckWritten'] = async (trx, check, stamp) => {
  await syncCertificateWatch(trx, check, stamp)
  const { accountId, checkId, activated: active, triggerIncident } = check
  await followCheck(trx, { accountId, checkId, active, serviceId: triggerIncident?.serviceId ?? null }, stamp)
  if (active && triggerIncident !== null)
    await openForFailing(trx, { accountId, checkId, triggerIncident }, stamp)
  return []
}

/** What is more goes later, with the results. */
const atOnce = 1000

/** A check was deleted, with its schedule and the jobs of it: now what sessions asked for, and all that was known about it. */
const onCheckRemoved: Consequences['onCheckRemoved'] = async (trx, { accountId, checkId }, stamp) => {
  const ended = await cancelRunsOfCheck(trx, checkId, stamp)
  await trx.run(deleteSessionRunsOfCheck, { checkId })
  await trx.run(deleteSessionsOfCheck, { checkId })
  await dropHeartbeat(trx, checkId)
  await dropCertificateWatch(trx, checkId)
  await resolveForStoppedCheck(trx, checkId, stamp)
  await trx.run(deleteServiceLink, { checkId })
  await trx.run(queueResultsForRemoval, { checkId, now: stamp.now })
  await trx.run(expireArtifactsOfCheck, { checkId, now: stamp.now })
  await trx.run(deleteSomeMissedRuns, { checkId, limit: atOnce })
  await trx.run(deleteStatus, { checkId })
  await trx.run(deleteAlertState, { checkId })
  await trx.run(deleteAlertsOfCheck, { checkId })
  await trx.run(deleteKeptBackOfCheck, { checkId })
  await trx.run(deleteNotificationsOfCheck, { checkId })
  await trx.run(deleteAnalysesOfCheck, { checkId })
  await trx.run(deleteErrorGroupsOfCheck, { checkId })
  await dropSubscriptions(trx, { accountId, checkId })
  await dropDependencies(trx, subjectText({ checkId }))
  return [...ended, checkRemoved]
}

/** The settings of an account were changed. */
const onAccountChanged: HasAccountConsequences['consequences']['onAccountChanged'] = async (
  trx,
  { accountId, runtimeId },
  stamp,
) =>
  runtimeId.before === runtimeId.after
    ? []
    : applyAccountRuntime({ consequences }, trx, { accountId, before: runtimeId.before }, stamp)

export const consequences: WholeApp['consequences'] = {
  onFinalResults,
  onMissedRuns,
  onCheckWritten,
  onCheckRemoved,
  onAccountChanged,
}
