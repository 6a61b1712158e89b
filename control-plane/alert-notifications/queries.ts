/** All SQL about the log of notifications. */
import type { Db } from '../database/db.ts'
import { query } from '../database/query.ts'
import type { AlertNotificationsTable } from '../database/tables/alert-channels.ts'

export const insertNotification = query('insert-alert-notification', (k, p: AlertNotificationsTable) =>
  k.insertInto('alert_notifications').values({
    id: p.id,
    account_id: p.account_id,
    channel_id: p.channel_id,
    type: p.type,
    check_id: p.check_id,
    check_type: p.check_type,
    check_alert_id: p.check_alert_id,
    check_result_id: p.check_result_id,
    status: p.status,
    sent_at: p.sent_at,
    created_at: p.created_at,
    doc: p.doc,
  }),
)

export type NotificationFilter = {
  accountId: string
  alertChannelId?: number
  hasFailures?: boolean
  from: number
  to: number
}

const failed = ['FAILURE', 'RATE_LIMITED']

/** Newest first. */
export const listNotifications = (
  db: Db,
  { accountId, alertChannelId, hasFailures, from, to }: NotificationFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<AlertNotificationsTable[]> =>
  db.select((k) => {
    let list = k
      .selectFrom('alert_notifications')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('created_at', '>=', from)
      .where('created_at', '<', to)
    if (alertChannelId !== undefined) list = list.where('channel_id', '=', alertChannelId)
    if (hasFailures !== undefined) list = list.where('status', hasFailures ? 'in' : 'not in', failed)
    return list.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).offset(offset)
  })

export const countNotifications = async (
  db: Db,
  { accountId, alertChannelId, hasFailures, from, to }: NotificationFilter,
): Promise<number> => {
  const [row] = await db.select((k) => {
    let list = k
      .selectFrom('alert_notifications')
      .select((at) => at.fn.countAll<number>().as('total'))
      .where('account_id', '=', accountId)
      .where('created_at', '>=', from)
      .where('created_at', '<', to)
    if (alertChannelId !== undefined) list = list.where('channel_id', '=', alertChannelId)
    if (hasFailures !== undefined) list = list.where('status', hasFailures ? 'in' : 'not in', failed)
    return list
  })
  return row?.total ?? 0
}
