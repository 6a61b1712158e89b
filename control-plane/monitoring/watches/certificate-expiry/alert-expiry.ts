/**
 * Certificates that end soon, seen by runs of URL and API checks and by looks at `sslCheckDomain`. Each sight may alert;
 * a row per check and domain sees to it that this happens at most once a day, however many control planes there are and
 * however often they restart.
 */

import { silencesOf } from '../../../alerting/engine/advance-in-silence.ts'
import { recordAlerts, subscribedChannels, wantsExpiry } from '../../../alerting/engine/record-alert.ts'
import { type AlertEvent, ofNoRun } from '../../../alerting/messages/alert-event.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { alertSubject } from '../alert-states/read-alert-subject.ts'
import { claimCertificateAlert, findCertificateAlert } from './queries.ts'

export const dayMs = 86_400_000
/** The most that a channel's `sslExpiryThreshold` can be. */
export const longestThresholdDays = 30

/** A certificate that was seen; `checkResultId`: of the run that saw it. */
export type CertificateSight = {
  accountId: string
  checkId: string
  domain: string
  daysRemaining: number
  checkResultId: string | null
}

/** Whole days, as certificates are counted everywhere; negative once it has expired. */
export const daysUntil = (expiresAt: number, now: number): number => Math.floor((expiresAt - now) / dayMs)

/**
 * Tells the subscribed channels whose threshold is reached, unless the check is muted or silenced: then a later sight
 * will. Returns whether there is something to send.
 */
export const alertExpiry = async (trx: Db, sight: CertificateSight, stamp: Stamp): Promise<boolean> => {
  const { checkId, accountId, domain, daysRemaining } = sight
  const { now } = stamp
  if (daysRemaining > longestThresholdDays) return false
  const last = await trx.get(findCertificateAlert, { checkId, domain })
  if (last && last.alerted_at > now - dayMs) return false
  const subject = await alertSubject(trx, checkId)
  if (!subject || subject.rules.muted) return false
  const channels = await subscribedChannels(trx, { accountId, checkId, groupId: subject.groupId })
  if (!channels.some(({ activated, flags }) => activated && wantsExpiry(flags, daysRemaining))) return false
  const within = { from: now, to: now + 1 }
  if ((await silencesOf(trx, { accountId, tags: subject.tags, within })).length > 0) return false
  const claim = { check_id: checkId, domain, alerted_at: now, before: now - dayMs }
  if ((await trx.run(claimCertificateAlert, claim)) === 0) return false
  const event: AlertEvent = {
    ...ofNoRun,
    alertType: 'ALERT_SSL',
    accountId,
    checkAlertId: stamp.newId(),
    checkId,
    checkName: subject.name,
    checkType: subject.type,
    checkDescription: subject.description,
    groupId: subject.groupId,
    groupName: subject.groupName,
    tags: subject.tags,
    checkResultId: sight.checkResultId,
    errorMessage: expiryText(domain, daysRemaining),
    startedAt: now,
    at: now,
    failingSince: 0,
    severity: subject.severity,
    ssl: { domain, daysRemaining },
  }
  await recordAlerts(trx, [{ event, afterFailure: false, isFirst: true }], stamp)
  return true
}

const expiryText = (domain: string, days: number): string =>
  days < 0
    ? `The SSL certificate of ${domain} has expired`
    : `The SSL certificate of ${domain} expires in ${days === 1 ? '1 day' : `${days} days`}`
