/**
 * A notification that is given up goes to the fallback of its channel, in the transaction that gives it up: once, however often it is sent again.
 * A fallback has a fallback of its own; what has gone through as many as there may be in a row ends there.
 */

import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import type { AlertNotificationsTable } from '../../platform/store/database/tables/alert-channels.ts'
import { channelDoc } from '../alert-channels/channel-doc.ts'
import { mostFallbacks } from '../alert-channels/fallbacks.ts'
import { findChannel } from '../alert-channels/queries.ts'
import { type AlertEvent, alertEvent } from '../messages/alert-event.ts'
import type { Next } from './next-try.ts'
import { queueNotifications } from './queue-notifications.ts'

/** What is critical does not wait longer than this for a receiver that asks for a pause. */
const longestPauseMs = 5 * 60_000

type Row = Pick<
  AlertNotificationsTable,
  'account_id' | 'channel_id' | 'check_id' | 'check_alert_id' | 'event'
>

const toldOfAlert = query('told-of-alert', (k, p: { checkId: string; alertId: string; channelId: number }) =>
  k
    .selectFrom('alert_notifications')
    .select('id')
    .where('check_id', '=', p.checkId)
    .where('check_alert_id', '=', p.alertId)
    .where('channel_id', '=', p.channelId)
    .limit(1),
)

const isGivenUp = ({ status, dueAt }: Next, { event, now }: { event: AlertEvent; now: number }): boolean =>
  status === 'FAILURE' || (event.severity === 'CRITICAL' && dueAt !== null && dueAt - now > longestPauseMs)

/** The channel to tell instead, and of what; null: nobody. `reason`: why it was not delivered, without secrets. */
export const fallbackFor = async (
  trx: Db,
  row: Row,
  { next, reason, now }: { next: Next; reason: string; now: number },
): Promise<{ channelId: number; event: AlertEvent } | null> => {
  const event = alertEvent.read(row.event)
  if (!isGivenUp(next, { event, now })) return null
  const channel = await trx.get(findChannel, { id: row.channel_id, accountId: row.account_id })
  if (channel === undefined) return null
  const { fallbackChannelId: channelId, config } = channelDoc.read(channel.doc)
  const before = event.insteadOf?.channelIds ?? []
  if (channelId === null || before.includes(channelId) || before.length >= mostFallbacks) return null
  const told = { checkId: row.check_id, alertId: row.check_alert_id, channelId }
  if ((await trx.get(toldOfAlert, told)) !== undefined) return null
  const insteadOf = {
    channelIds: [...before, row.channel_id],
    name: nameIn(config) ?? `${channel.type} ${row.channel_id}`,
    reason,
  }
  return { channelId, event: { ...event, insteadOf } }
}

export const tellInstead = (
  trx: Db,
  { channelId, event }: { channelId: number; event: AlertEvent },
  stamp: Stamp,
): Promise<number> => queueNotifications(trx, [{ event, to: [channelId] }], stamp)

/** What people know it by, of a config without its secrets. */
const nameIn = (config: Record<string, unknown>): string | null => {
  const names = ['name', 'address', 'number', 'serviceName', 'account', 'channel'].map((key) => config[key])
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? null
}
