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
import type { AlertEvent } from '../messages/alert-event.ts'
import type { Next } from './next-try.ts'
import { queueNotifications } from './queue-notifications.ts'

/** What is critical does not wait longer than this for a receiver that asks for a pause. */
const longestPauseMs = 5 * 60_000

type Row = Pick<AlertNotificationsTable, 'id' | 'account_id' | 'channel_id'>

type Alerts = { checkIds: readonly string[]; alertIds: readonly string[]; channelId: number }

const toldOfAlerts = query('told-of-alerts', (k, p: Alerts, engine) =>
  k
    .selectFrom('alert_notifications')
    .select('check_alert_id')
    .where('check_id', 'in', engine.textList(p.checkIds))
    .where('check_alert_id', 'in', engine.textList(p.alertIds))
    .where('channel_id', '=', p.channelId),
)

const isGivenUp = ({ status, dueAt }: Next, { event, now }: { event: AlertEvent; now: number }): boolean =>
  status === 'FAILURE' || (event.severity === 'CRITICAL' && dueAt !== null && dueAt - now > longestPauseMs)

/** Of one notification, or of all that its message names. `gather`: they are told together there, too. */
type Instead = { channelId: number; events: readonly AlertEvent[]; gather: string | null }

type GivenUp = { events: readonly AlertEvent[]; next: Next; reason: string; now: number }

/** The channel to tell instead, and of what; null: nobody. `reason`: why it was not delivered, without secrets. */
export const fallbackFor = async (
  trx: Db,
  row: Row,
  { events, next, reason, now }: GivenUp,
): Promise<Instead | null> => {
  const givenUp = events.filter((event) => isGivenUp(next, { event, now }))
  const [first] = givenUp
  if (first === undefined) return null
  const channel = await trx.get(findChannel, { id: row.channel_id, accountId: row.account_id })
  if (channel === undefined) return null
  const { fallbackChannelId: channelId, config } = channelDoc.read(channel.doc)
  const before = first.insteadOf?.channelIds ?? []
  if (channelId === null || before.includes(channelId) || before.length >= mostFallbacks) return null
  const rows = await trx.all(toldOfAlerts, {
    checkIds: [...new Set(givenUp.map(({ checkId }) => checkId))],
    alertIds: givenUp.map(({ checkAlertId }) => checkAlertId),
    channelId,
  })
  const told = new Set(rows.map(({ check_alert_id }) => check_alert_id))
  const untold = givenUp.filter(({ checkAlertId }) => !told.has(checkAlertId))
  if (untold.length === 0) return null
  const insteadOf = {
    channelIds: [...before, row.channel_id],
    name: nameIn(config) ?? `${channel.type} ${row.channel_id}`,
    reason,
  }
  return {
    channelId,
    events: untold.map((event) => ({ ...event, insteadOf })),
    gather: untold.length === 1 ? null : `instead ${row.id}`,
  }
}

export const tellInstead = (trx: Db, { channelId, events, gather }: Instead, stamp: Stamp): Promise<number> =>
  queueNotifications(
    trx,
    events.map((event) => ({ event, to: [channelId], ...(gather === null ? {} : { gather }) })),
    stamp,
  )

/** What people know it by, of a config without its secrets. */
const nameIn = (config: Record<string, unknown>): string | null => {
  const names = ['name', 'address', 'number', 'serviceName', 'account', 'channel'].map((key) => config[key])
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? null
}
