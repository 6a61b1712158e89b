import { notificationsWakeup } from '../../alerting/engine/queue-notifications.ts'
import type { Stamp } from '../../platform/clock/stamp.ts'
import type { FinalResult } from '../../platform/consequences.ts'
import type { Db } from '../../platform/database/db.ts'
import { answerOf } from '../checks/types/index.ts'
import { alertExpiry } from './alert-expiry.ts'

/** Of the certificate that a run saw, if it saw one. Returns the names to wake after the commit. */
export const alertOnRunCertificate = async (
  trx: Db,
  {
    accountId,
    checkId,
    checkType,
    resultId: checkResultId,
    detail,
  }: Pick<FinalResult, 'accountId' | 'checkId' | 'checkType' | 'resultId' | 'detail'>,
  stamp: Stamp,
): Promise<string[]> => {
  const { certificate } = answerOf(checkType, detail)
  if (certificate === null || certificate.host === null) return []
  const { host: domain, daysRemaining } = certificate
  const alerted = await alertExpiry(trx, { accountId, checkId, checkResultId, domain, daysRemaining }, stamp)
  return alerted ? [notificationsWakeup] : []
}
