/**
 * Certificates that runs saw. Nearly all of them alert nobody: they end late, or no channel asks for them, or they were
 * alerted about today. That is found out for all runs of a batch together.
 */

import { longestExpiryThresholds } from '../../../alerting/alert-channels/expiry-thresholds.ts'
import { notificationsWakeup } from '../../../alerting/notifications/queue-notifications.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { answerOf } from '../../definitions/checks/types/index.ts'
import type { FinalResult } from '../../outcomes/consequences.ts'
import { latestStarts } from '../check-statuses/queries.ts'
import { alertExpiry, type CertificateSight, dayMs, longestThresholdDays } from './alert-expiry.ts'
import { certificateAlertsOf } from './queries.ts'

type CertificateOfRun = Pick<
  FinalResult,
  'accountId' | 'checkId' | 'checkType' | 'resultId' | 'detail' | 'startedAt' | 'arrivedLate'
>

/** Returns the names to wake after the commit. */
export const alertOnRunCertificates = async (
  trx: Db,
  results: readonly CertificateOfRun[],
  stamp: Stamp,
): Promise<string[]> => {
  const seen = await ofNow(
    trx,
    results.filter((result) => sightsOf(result).length > 0),
  )
  const sights = await worthALook(trx, seen.flatMap(sightsOf), stamp.now)
  let alerted = false
  for (const sight of sights) alerted = (await alertExpiry(trx, sight, stamp)) || alerted
  return alerted ? [notificationsWakeup] : []
}

const sightsOf = ({
  accountId,
  checkId,
  checkType,
  resultId: checkResultId,
  detail,
}: CertificateOfRun): CertificateSight[] => {
  const { certificate } = answerOf(checkType, detail)
  if (certificate === null || certificate.host === null) return []
  const { host: domain, daysRemaining } = certificate
  if (daysRemaining > longestThresholdDays) return []
  return [{ accountId, checkId, checkResultId, domain, daysRemaining }]
}

/** What a run saw in an outage has been renewed, perhaps, and a later one of its check has looked: their statuses are written. */
const ofNow = async (trx: Db, results: readonly CertificateOfRun[]): Promise<readonly CertificateOfRun[]> => {
  const ids = [...new Set(results.flatMap((one) => (one.arrivedLate ? [one.checkId] : [])))]
  if (ids.length === 0) return results
  const latest = new Map(
    (await trx.all(latestStarts, { ids })).map((row) => [row.check_id, row.last_started_at]),
  )
  return results.filter((one) => !one.arrivedLate || one.startedAt >= (latest.get(one.checkId) ?? 0))
}

const worthALook = async (trx: Db, sights: CertificateSight[], now: number): Promise<CertificateSight[]> => {
  if (sights.length === 0) return []
  const thresholds = await longestExpiryThresholds(trx, [
    ...new Set(sights.map(({ accountId }) => accountId)),
  ])
  const wanted = sights.filter(
    ({ accountId, daysRemaining }) =>
      daysRemaining <= (thresholds.get(accountId) ?? Number.NEGATIVE_INFINITY),
  )
  if (wanted.length === 0) return []
  const checkIds = [...new Set(wanted.map(({ checkId }) => checkId))]
  const rows = await trx.all(certificateAlertsOf, { checkIds, since: now - dayMs })
  const alerted = new Set(rows.map(({ check_id, domain }) => `${check_id} ${domain}`))
  return wanted.filter(({ checkId, domain }) => !alerted.has(`${checkId} ${domain}`))
}
