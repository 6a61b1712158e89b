import { notificationsWakeup } from '../../alerting/engine/queue-notifications.ts'
import type { Db } from '../../platform/database/db.ts'
import { alertExpiry, type CertificateSight } from './alert-expiry.ts'

/** `detail`: the type's own part of the result, if there was an observation. */
type Run = Omit<CertificateSight, 'domain' | 'daysRemaining'> & { detail: unknown }

type HttpDetail = {
  request?: { url?: string }
  response?: { href?: string; certificate?: { daysRemaining?: number } | null } | null
}

/** Of the certificate that a run saw, if it saw one. Returns the names to wake after the commit. */
export const alertSeenCertificate = async (
  trx: Db,
  { detail, ...run }: Run,
  making: { now: number; newId(): string },
): Promise<string[]> => {
  const { request, response } = (detail as HttpDetail | null) ?? {}
  const daysRemaining = response?.certificate?.daysRemaining
  if (daysRemaining === undefined) return []
  const url = URL.parse(response?.href ?? request?.url ?? '')
  if (url === null) return []
  const alerted = await alertExpiry(trx, { ...run, domain: url.hostname, daysRemaining }, making)
  return alerted ? [notificationsWakeup] : []
}
