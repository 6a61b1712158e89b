/** All SQL about the log of notifications. Its rows come and change in outbox-queries.ts. */

import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import type { AlertNotificationsTable } from '../../platform/database/tables/alert-channels.ts'

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

export const deleteNotificationsOfCheck = query(
  'delete-notifications-of-check',
  (k, p: { checkId: string; accountId: string }) =>
    k
      .deleteFrom('alert_notifications')
      .where('account_id', '=', p.accountId)
      .where('check_id', '=', p.checkId),
)
