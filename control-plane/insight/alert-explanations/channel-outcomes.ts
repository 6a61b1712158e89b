import type { ChannelTypeName } from '../../alerting/channels/channel-type.ts'
import { channels } from '../../alerting/channels/index.ts'
import type { HasProviders } from '../../alerting/channels/providers.ts'
import type { AlertSubject } from '../../alerting/engine/alert-subject.ts'
import { type SubscribedChannel, subscribedChannels, wantsAlert } from '../../alerting/engine/record-alert.ts'
import type { AlertType } from '../../alerting/messages/alert-types.ts'
import { notificationDoc } from '../../alerting/notifications/notification-doc.ts'
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { inEnglish, type Told, tell } from '../../platform/words/told.ts'
import { channelsOfAccount, notificationsOfAlert, sizeOfBundle } from './queries.ts'
import type { AlertExplanation } from './schema.ts'

export type Outcome = Omit<AlertExplanation['channels'][number], 'reason'> & { reason: Told }
type Check = Pick<AlertSubject, 'accountId' | 'groupId' | 'groupTells'> & { checkId: string }
type Alert = { id: string; alert_type: string; created_at: number }

/** What became of an alert in each channel of the account; `alert` is the check's latest, if there was one. */
export const channelOutcomes = async (
  { db, config: { providers } }: App & HasProviders,
  check: Check,
  alert: Alert | undefined,
): Promise<Outcome[]> => {
  const { accountId, checkId } = check
  const subscribed = new Map((await subscribedChannels(db, check)).map((channel) => [channel.id, channel]))
  const sent = alert ? await db.all(notificationsOfAlert, { accountId, checkId, alertId: alert.id }) : []
  const notifications = new Map(sent.map((row) => [row.channel_id, row]))
  const others = await othersToldOf(db, sent)
  return (await db.all(channelsOfAccount, { accountId })).map(({ id, type }) => {
    const notification = notifications.get(id)
    const channel = subscribed.get(id)
    return {
      alertChannelId: id,
      type: type as Outcome['type'],
      subscribedThrough: channel?.through ?? null,
      alertNotificationId: notification?.id ?? null,
      status: (notification?.status ?? null) as Outcome['status'],
      sentAt: toIsoOrNull(notification?.sent_at ?? null),
      reason: notification
        ? whatHappened(notification, others.get(notification.bundle_id ?? '') ?? 0)
        : check.groupTells === 'GROUP' && channel !== undefined
          ? tell`The group of the check tells instead of it.`
          : whyNot(channel, alert, channels[type as ChannelTypeName].missingSetting?.(providers) ?? null),
    }
  })
}

/** How many others each message named, by the id of its bundle. */
const othersToldOf = async (
  db: Db,
  sent: readonly { bundle_id: string | null }[],
): Promise<Map<string, number>> => {
  const others = new Map<string, number>()
  for (const { bundle_id: bundleId } of sent)
    if (bundleId !== null) others.set(bundleId, ((await db.get(sizeOfBundle, { bundleId }))?.total ?? 1) - 1)
  return others
}

const words: Record<string, Told> = {
  IN_PROGRESS: tell`The notification is on its way.`,
  SUCCESS: tell`The notification was delivered.`,
  FAILURE: tell`The notification could not be delivered.`,
  WITHDRAWN: tell`The notification was not sent.`,
  RATE_LIMITED: tell`The receiver asked for a pause.`,
}

type Notification = {
  status: string
  doc: string
  held: string | null
  gather: string | null
  claims: number
  due_at: number | null
}

const whatHappened = (notification: Notification, others: number): Told => {
  const happened = becameOf(notification)
  return others === 0 ? happened : tell`${ended(happened)} It was told together with ${others} others.`
}

/** What a receiver answered may be no whole sentence. */
const ended = (told: Told): Told => (/[.!?]\s*$/.test(inEnglish(told)) ? told : tell`${told}.`)

const becameOf = ({ status, doc, held, gather, claims, due_at: dueAt }: Notification): Told => {
  if (held === null && gather !== null && claims === 0 && dueAt !== null)
    return tell`It waits to be told together with others, until ${{ at: dueAt }}.`
  if (held !== null && claims === 0 && dueAt !== null)
    return tell`It waits for the hours of the channel, until ${{ at: dueAt }}.`
  const { notificationResult, toldInstead, insteadOf } = notificationDoc.read(doc)
  const known = words[status] ?? tell`${status}`
  const happened = notificationResult === null ? known : tell`${known} ${notificationResult}`
  if (toldInstead !== undefined)
    return tell`${happened} Its fallback, channel ${toldInstead}, was told instead.`
  return insteadOf === undefined
    ? happened
    : tell`${happened} It is the fallback of channel ${insteadOf}, which it could not be delivered to.`
}

const whyNot = (
  channel: SubscribedChannel | undefined,
  alert: Alert | undefined,
  missingSetting: string | null,
): Told => {
  if (channel === undefined) return tell`Neither the check nor its group subscribes to it.`
  if (!channel.activated)
    return channel.through === 'check'
      ? tell`The subscription of the check is switched off.`
      : tell`The subscription of the group is switched off.`
  if (alert === undefined) return tell`The check has not alerted yet.`
  const type = alert.alert_type as AlertType
  if (!wantsAlert(channel.flags, type, true)) return tell`It is not set to send ${kindOf(type)}.`
  if (!wantsAlert(channel.flags, type, false))
    return tell`It is not set to send degradations, and there was no failure to recover from.`
  if (missingSetting !== null)
    return tell`${missingSetting} is not set: a later notification stands for this one.`
  return tell`It was not subscribed when the check alerted.`
}

const kindOf = (type: AlertType): Told => {
  if (type.endsWith('RECOVERY')) return tell`recoveries (sendRecovery is false)`
  return type === 'ALERT_DEGRADED' || type === 'ALERT_DEGRADED_REMAIN' || type === 'ALERT_FAILURE_DEGRADED'
    ? tell`degradations (sendDegraded is false)`
    : tell`failures (sendFailure is false)`
}
