/** All SQL about the log of notifications. Its rows come and change in outbox-queries.ts. */

import { type ListSource, readPage } from '../../platform/long-reads/read-slices.ts'
import { query } from '../../platform/store/database/query.ts'
import type { AlertNotificationsTable } from '../../platform/store/database/tables/alert-channels.ts'

type NotificationFilter = {
  accountId: string
  alertChannelId?: number
  /** What was tried and did not arrive, also while it is tried again. */
  hasFailures?: boolean
  from: number
  to: number
}

const failed = ['FAILURE', 'RATE_LIMITED']

/** One page, newest first, and how many there are in all. */
export const listNotifications = (
  source: ListSource,
  { accountId, alertChannelId, hasFailures, from, to }: NotificationFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: AlertNotificationsTable[]; total: number }> =>
  readPage(
    source,
    {
      table: 'alert_notifications',
      index: alertChannelId === undefined ? 'alert_notifications_account' : 'alert_notifications_channel',
      owner: alertChannelId === undefined ? ['account_id', accountId] : ['channel_id', alertChannelId],
      at: 'created_at',
      direction: 'newest-first',
      from,
      to,
      filter: (rows) => {
        const list = alertChannelId === undefined ? rows : rows.where('account_id', '=', accountId)
        if (hasFailures === undefined) return list
        return list.where((at) => {
          const isUndelivered = at.or([
            at('status', 'in', failed),
            at.and([at('status', '=', 'IN_PROGRESS'), at('tries', '>', 0)]),
          ])
          return hasFailures ? isUndelivered : at.not(isUndelivered)
        })
      },
    },
    page,
  )

/** Without the account: it would have SQLite walk over all of the account's. */
export const deleteNotificationsOfCheck = query(
  'delete-notifications-of-check',
  (k, p: { checkId: string }) => k.deleteFrom('alert_notifications').where('check_id', '=', p.checkId),
)
