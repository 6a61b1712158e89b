/**
 * The way into the outbox: one row per channel, written in the transaction that records what it tells of. After the
 * commit the caller wakes the dispatcher: `app.wakeups.wake(notificationsWakeup)`.
 */

import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { runForRows } from '../../platform/store/database/row-statement.ts'
import { channelDoc } from '../alert-channels/channel-doc.ts'
import { type AlertEvent, alertEvent } from '../messages/alert-event.ts'
import { gathered } from './gather.ts'
import { type Grouping, groupingOf } from './gathering.ts'
import { type Notice, placed, type ReceivingChannel } from './hold-back.ts'
import { notificationDoc } from './notification-doc.ts'
import { channelsToNotify, lastInLines, notificationRows } from './outbox-queries.ts'

export const notificationsWakeup = 'notifications'

/** In their order, each behind everything that waits for the same check and channel; `to`: channels of the event's account, one that is gone is left out. Returns how many there are. */
export const queueNotifications = async (
  trx: Db,
  notices: readonly Notice[],
  { now, newId }: Stamp,
): Promise<number> => {
  const channels = await channelsOf(trx, [...new Set(notices.flatMap(({ to }) => to))])
  const places = await placed(trx, ofTheirAccounts(notices, channels), { channels, now })
  if (places.length === 0) return 0
  const queued = await gathered(trx, places, now)
  const next = nextInLines(await trx.all(lastInLines, { lines: queued.map(lineOf) }))
  const rows = queued.map(({ event, channel, dueAt, held, gather, reason }) => ({
    id: newId(),
    account_id: event.accountId,
    channel_id: channel.id,
    type: channel.type,
    check_id: event.checkId,
    check_type: event.checkType,
    check_alert_id: event.checkAlertId,
    check_result_id: event.checkResultId ?? '',
    status: dueAt === null ? 'WITHDRAWN' : 'IN_PROGRESS',
    created_at: now,
    due_at: dueAt,
    held,
    gather,
    sequence: next(channel.id, event.checkId),
    event: alertEvent.write(event),
    doc: channel.logged(reason, event),
  }))
  await runForRows(trx, notificationRows, rows)
  return rows.length
}

/** `logged`: what its notifications show of it, and why one is not sent. */
type Channel = ReceivingChannel & {
  grouping: Grouping | null
  accountId: string
  type: string
  logged: (reason: string | null, event: AlertEvent) => string
}

const ofTheirAccounts = (notices: readonly Notice[], channels: ReadonlyMap<number, Channel>): Notice[] =>
  notices.map((notice) => ({
    ...notice,
    to: notice.to.filter((id) => channels.get(id)?.accountId === notice.event.accountId),
  }))

const channelsOf = async (trx: Db, ids: readonly number[]): Promise<Map<number, Channel>> => {
  const rows = await channelsToNotify(trx, ids)
  return new Map(
    rows.map(({ id, account_id: accountId, type, doc }) => {
      const { config: alertConfig, hours, sendDegraded, grouping } = channelDoc.read(doc)
      const unsent = notificationDoc.write({ alertConfig, notificationResult: null })
      const logged: Channel['logged'] = (reason, { insteadOf }) => {
        if (reason === null && insteadOf === null) return unsent
        const before = insteadOf?.channelIds.at(-1)
        const more = before === undefined ? {} : { insteadOf: before }
        return notificationDoc.write({ alertConfig, notificationResult: reason, ...more })
      }
      return [id, { id, accountId, type, hours, sendDegraded, grouping: groupingOf(grouping), logged }]
    }),
  )
}

const lineOf = ({ event, channel }: { event: AlertEvent; channel: Channel }) => ({
  listed_channel: channel.id,
  listed_check: event.checkId,
})

type LastInLine = { channel_id: number; check_id: string; sequence: number }

/** Each call takes the next place of a line. */
const nextInLines = (lasts: readonly LastInLine[]): ((channelId: number, checkId: string) => number) => {
  const taken = new Map(lasts.map((one) => [`${one.channel_id} ${one.check_id}`, one.sequence]))
  return (channelId, checkId) => {
    const line = `${channelId} ${checkId}`
    const next = (taken.get(line) ?? 0) + 1
    taken.set(line, next)
    return next
  }
}
