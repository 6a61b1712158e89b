/**
 * The way into the outbox: one row per channel, written in the transaction that records what it tells of. After the
 * commit the caller wakes the dispatcher: `app.wakeups.wake(notificationsWakeup)`.
 */

import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { channelDoc } from '../alert-channels/channel-doc.ts'
import { type AlertEvent, alertEvent } from '../messages/alert-event.ts'
import { notificationDoc } from './notification-doc.ts'
import { channelToNotify, queueNotification } from './outbox-queries.ts'

export const notificationsWakeup = 'notifications'

/** `to`: ids of channels of the event's account; one that is gone is left out. */
export const queueNotifications = async (
  trx: Db,
  event: AlertEvent,
  to: readonly number[],
  { now, newId }: Stamp,
): Promise<void> => {
  for (const id of to) {
    const channel = await trx.get(channelToNotify, { id, accountId: event.accountId })
    if (!channel) continue
    const { config } = channelDoc.read(channel.doc)
    await trx.run(queueNotification, {
      id: newId(),
      account_id: event.accountId,
      channel_id: channel.id,
      type: channel.type,
      check_id: event.checkId,
      check_type: event.checkType,
      check_alert_id: event.checkAlertId,
      check_result_id: event.checkResultId ?? '',
      created_at: now,
      due_at: now,
      doc: notificationDoc.write({ alertConfig: config, notificationResult: null }),
      event: alertEvent.write(event),
    })
  }
}
