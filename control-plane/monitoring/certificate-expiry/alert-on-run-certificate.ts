import { notificationsWakeup } from '../../alerting/engine/queue-notifications.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AnswerFacts } from '../checks/types/detail-reader.ts'
import { alertExpiry, type CertificateSight } from './alert-expiry.ts'

type Run = Omit<CertificateSight, 'domain' | 'daysRemaining'> & {
  certificate: AnswerFacts['certificate']
}

/** Of the certificate that a run saw, if it saw one. Returns the names to wake after the commit. */
export const alertSeenCertificate = async (
  trx: Db,
  { certificate, ...run }: Run,
  making: { now: number; newId(): string },
): Promise<string[]> => {
  if (certificate === null || certificate.host === null) return []
  const { host: domain, daysRemaining } = certificate
  const alerted = await alertExpiry(trx, { ...run, domain, daysRemaining }, making)
  return alerted ? [notificationsWakeup] : []
}
