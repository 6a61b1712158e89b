import { notificationsWakeup } from '../../alerting/engine/queue-notifications.ts'
import type { Stamp } from '../../platform/clock/stamp.ts'
import type { FinalResult } from '../../platform/consequences.ts'
import type { Db } from '../../platform/database/db.ts'
import { httpFactsOf } from '../checks/http-facts.ts'
import { alertExpiry } from './alert-expiry.ts'

/** Of the certificate that a run saw, if it saw one. Returns the names to wake after the commit. */
export const alertOnRunCertificate = async (
  trx: Db,
  {
    accountId,
    checkId,
    resultId: checkResultId,
    detail,
  }: Pick<FinalResult, 'accountId' | 'checkId' | 'resultId' | 'detail'>,
  stamp: Stamp,
): Promise<string[]> => {
  const { certificateDays: daysRemaining, url } = httpFactsOf(detail)
  const host = daysRemaining === null ? undefined : URL.parse(url ?? '')?.hostname
  if (daysRemaining === null || host === undefined) return []
  const alerted = await alertExpiry(
    trx,
    { accountId, checkId, checkResultId, domain: host, daysRemaining },
    stamp,
  )
  return alerted ? [notificationsWakeup] : []
}
