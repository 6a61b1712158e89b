/**
 * An alert is a row in the list of alerts and, for each subscribed channel that wants its kind, one notification. Belongs
 * in the transaction of what it tells; after the commit the caller wakes `notificationsWakeup`.
 */

import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { runForRows } from '../../platform/store/database/row-statement.ts'
import { channelDoc } from '../alert-channels/channel-doc.ts'
import { subscriptionsOfSubjects } from '../alert-channels/subscription-queries.ts'
import { checkAlertDoc, type KeptBack } from '../check-alerts/check-alert-doc.ts'
import { checkAlertRows } from '../check-alerts/queries.ts'
import type { AlertEvent } from '../messages/alert-event.ts'
import type { AlertType } from '../messages/alert-types.ts'
import type { Gathering } from '../notifications/gathering.ts'
import type { Notice } from '../notifications/hold-back.ts'
import { channelsToNotify, channelsToTellOfLocations } from '../notifications/outbox-queries.ts'
import { queueNotifications } from '../notifications/queue-notifications.ts'

/** Which notifications a channel sends (alert-channels/schema.ts). */
type ChannelFlags = {
  sendFailure: boolean
  sendRecovery: boolean
  sendDegraded: boolean
  sslExpiry: boolean
  /** Days before the end of a certificate from which on it is alerted about. */
  sslExpiryThreshold: number
  /** What is wrong with private locations. */
  locationAlerts: boolean
}

/** `isFirst`: nobody was told before that it is not well; `afterFailure`: people were told of a failure since all was well, not only of a degradation. */
type Alert = {
  event: AlertEvent
  afterFailure: boolean
  isFirst: boolean
  gathering?: Gathering
  /** It is in the list of alerts, and its group tells. */
  toldByGroup?: boolean
  keptBack?: KeptBack | null
}

/** In the order in which they are to be told. Returns how many messages that makes. */
export const recordAlerts = async (trx: Db, alerts: readonly Alert[], stamp: Stamp): Promise<number> => {
  if (alerts.length === 0) return 0
  await runForRows(trx, checkAlertRows, alerts.map(alertRow))
  const channels = await channelsOf(
    trx,
    alerts.flatMap(({ event, toldByGroup }) =>
      event.location === null && toldByGroup !== true ? [event] : [],
    ),
  )
  const notices: Notice[] = []
  for (const { event, afterFailure, isFirst, gathering, toldByGroup = false } of alerts) {
    if (toldByGroup) continue
    const subscribed =
      event.location === null
        ? (channels.get(event.checkId) ?? []).filter(({ activated }) => activated)
        : await channelsOfAccount(trx, event.accountId)
    const to = subscribed.filter(({ flags }) => wants(flags, { event, afterFailure })).map(({ id }) => id)
    notices.push({ event, to, isFirst, afterFailure, ...(gathering === undefined ? {} : { gathering }) })
  }
  return queueNotifications(trx, notices, stamp)
}

/** Locations have no subscriptions: any channel may be told of them. */
const channelsOfAccount = async (db: Db, accountId: string): Promise<Array<{ id: number } & KnownChannel>> =>
  (await db.all(channelsToTellOfLocations, { accountId })).map(({ id, type, doc }) => ({
    id,
    type,
    flags: channelDoc.read(doc),
  }))

type Wanted = Pick<Alert, 'event' | 'afterFailure'>

const wants = (flags: ChannelFlags, { event, afterFailure }: Wanted): boolean => {
  if (event.location !== null)
    return flags.locationAlerts && (flags.sendRecovery || !isRecovery(event.alertType))
  return wantsCheck(flags, { event, afterFailure })
}

const isRecovery = (alertType: AlertType): boolean =>
  alertType === 'ALERT_RECOVERY' || alertType === 'ALERT_DEGRADED_RECOVERY'

const wantsCheck = (flags: ChannelFlags, { event, afterFailure }: Wanted): boolean =>
  wantsAlert(flags, event.alertType, afterFailure) &&
  (event.ssl === null || wantsExpiry(flags, event.ssl.daysRemaining))

const alertRow = ({ event, isFirst, gathering, keptBack = null }: Alert) => ({
  id: event.checkAlertId,
  account_id: event.accountId,
  check_id: event.checkId,
  check_type: event.checkType,
  problem: event.location?.problem ?? (event.group === null ? null : 'GROUP'),
  alert_type: event.alertType,
  name: event.checkName,
  started_at: event.startedAt,
  created_at: event.at,
  ...(isFirst && gathering !== undefined && !isRecovery(event.alertType)
    ? { opening_host: gathering.host, opening_location: event.runLocation ?? '' }
    : { opening_host: null, opening_location: null }),
  doc: checkAlertDoc.write({
    runLocation: event.runLocation ?? '',
    responseTime: event.responseTime ?? 0,
    error: event.errorMessage,
    statusCode: event.apiStatus === null ? null : String(event.apiStatus.code),
    ...(keptBack === null ? {} : { keptBack }),
  }),
})

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
export const subscribedChannels = async (db: Db, subscriber: Subscriber): Promise<SubscribedChannel[]> =>
  (await channelsOf(db, [subscriber])).get(subscriber.checkId) ?? []

type ChannelsOfSubject = Map<string, { id: number; activated: boolean }[]>
type KnownChannel = Pick<SubscribedChannel, 'type' | 'flags'>

/** By the ids of the checks. */
const channelsOf = async (
  db: Db,
  subscribers: readonly Subscriber[],
): Promise<Map<string, SubscribedChannel[]>> => {
  const byCheck = new Map<string, SubscribedChannel[]>()
  for (const [accountId, own] of Map.groupBy(subscribers, (one) => one.accountId)) {
    const subjects = [...new Set(own.flatMap((one) => subjectsOf(one)))]
    const subscriptions: ChannelsOfSubject = new Map()
    for (const { subject, channel_id, activated } of await db.all(subscriptionsOfSubjects, {
      accountId,
      subjects,
    }))
      subscriptions.set(subject, [...(subscriptions.get(subject) ?? []), { id: channel_id, activated }])
    const ids = [...new Set([...subscriptions.values()].flat().map(({ id }) => id))]
    const channels = new Map<number, KnownChannel>()
    for (const { id, type, doc } of await channelsToNotify(db, ids))
      channels.set(id, { type, flags: channelDoc.read(doc) })
    for (const one of own) byCheck.set(one.checkId, channelsOfCheck(one, { subscriptions, channels }))
  }
  return byCheck
}

const subjectsOf = ({ checkId, groupId }: Subscriber): string[] =>
  groupId === null ? [`check:${checkId}`] : [`check:${checkId}`, `group:${groupId}`]

type Known = { subscriptions: ChannelsOfSubject; channels: ReadonlyMap<number, KnownChannel> }

const channelsOfCheck = (subscriber: Subscriber, { subscriptions, channels }: Known): SubscribedChannel[] => {
  const byId = new Map<number, SubscribedChannel>()
  for (const [position, subject] of subjectsOf(subscriber).entries())
    for (const { id, activated } of subscriptions.get(subject) ?? []) {
      const channel = channels.get(id)
      if (channel === undefined || byId.has(id)) continue
      byId.set(id, { id, activated, through: position === 0 ? 'check' : 'group', ...channel })
    }
  return [...byId.values()].sort((a, b) => a.id - b.id)
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
