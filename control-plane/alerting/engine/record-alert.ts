/**
 * An alert is a row in the list of alerts and, for each subscribed channel that wants its kind, one notification. Belongs
 * in the transaction of what it tells; after the commit the caller wakes `notificationsWakeup`.
 */

import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { channelDoc } from '../alert-channels/channel-doc.ts'
import { channelsOfSubjects } from '../alert-channels/subscription-queries.ts'
import { checkAlertDoc } from '../check-alerts/check-alert-doc.ts'
import { insertCheckAlert } from '../check-alerts/queries.ts'
import type { AlertEvent } from '../messages/alert-event.ts'
import type { AlertType } from '../messages/alert-types.ts'
import { queueNotifications } from '../notifications/queue-notifications.ts'

/** `afterFailure`: people were told of a failure since all was well, not only of a degradation. */
type AlertStamp = Stamp & { afterFailure?: boolean }

/** Which notifications a channel sends (alert-channels/schema.ts). */
type ChannelFlags = {
  sendFailure: boolean
  sendRecovery: boolean
  sendDegraded: boolean
  sslExpiry: boolean
  /** Days before the end of a certificate from which on it is alerted about. */
  sslExpiryThreshold: number
}

export const recordAlert = async (trx: Db, event: AlertEvent, making: AlertStamp): Promise<void> => {
  await trx.run(insertCheckAlert, {
    id: event.checkAlertId,
    account_id: event.accountId,
    check_id: event.checkId,
    check_type: event.checkType,
    alert_type: event.alertType,
    name: event.checkName,
    started_at: event.startedAt,
    created_at: event.at,
    doc: checkAlertDoc.write({
      runLocation: event.runLocation ?? '',
      responseTime: event.responseTime ?? 0,
      error: event.errorMessage,
      statusCode: event.apiStatus === null ? null : String(event.apiStatus.code),
    }),
  })
  const channels = await subscribedChannels(trx, event)
  const wanting = channels.filter(
    ({ activated, flags }) =>
      activated &&
      wantsAlert(flags, event.alertType, making.afterFailure ?? false) &&
      (event.ssl === null || wantsExpiry(flags, event.ssl.daysRemaining)),
  )
  await queueNotifications(
    trx,
    event,
    wanting.map(({ id }) => id),
    making,
  )
}

export type SubscribedChannel = {
  id: number
  type: string
  flags: ChannelFlags
  activated: boolean
  /** Whose subscription decides: the check's own, else its group's. */
  through: 'check' | 'group'
}

type Subscriber = { accountId: string; checkId: string; groupId: number | null }

/** Of the check and its group, each channel once: where both subscribe, the check's own subscription decides. */
export const subscribedChannels = async (
  db: Db,
  { accountId, checkId, groupId }: Subscriber,
): Promise<SubscribedChannel[]> => {
  const own = `check:${checkId}`
  const subjects = groupId === null ? [own] : [own, `group:${groupId}`]
  const rows = await db.all(channelsOfSubjects, { accountId, subjects })
  const byId = new Map<number, SubscribedChannel>()
  for (const { subject, activated, channel_id: id, type, doc } of rows) {
    const through = subject === own ? 'check' : 'group'
    if (byId.has(id) && through === 'group') continue
    byId.set(id, { id, type, flags: channelDoc.read(doc), activated, through })
  }
  return [...byId.values()]
}

/** Whether a channel is told of a certificate with so many days left. */
export const wantsExpiry = (
  { sslExpiry, sslExpiryThreshold }: ChannelFlags,
  daysRemaining: number,
): boolean => sslExpiry && daysRemaining <= sslExpiryThreshold

/** What a channel that hears of no degradation never heard of, it hears no recovery from. */
export const wantsAlert = (flags: ChannelFlags, alertType: AlertType, afterFailure: boolean): boolean => {
  switch (alertType) {
    case 'ALERT_FAILURE':
    case 'ALERT_FAILURE_REMAIN':
    case 'ALERT_DEGRADED_FAILURE':
      return flags.sendFailure
    case 'ALERT_DEGRADED':
    case 'ALERT_DEGRADED_REMAIN':
    case 'ALERT_FAILURE_DEGRADED':
      return flags.sendDegraded
    case 'ALERT_RECOVERY':
      return flags.sendRecovery
    case 'ALERT_DEGRADED_RECOVERY':
      return flags.sendRecovery && (flags.sendDegraded || afterFailure)
    case 'ALERT_SSL':
      return flags.sslExpiry
    case 'NO_ALERT':
      return false
  }
}
