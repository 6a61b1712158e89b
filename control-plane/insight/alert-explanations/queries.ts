/** What an explanation reads beside the alert state. */

import { someResults } from '../../monitoring/results/stored/list-results.ts'
import type { Result } from '../../monitoring/results/stored/result.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'

type OfCheck = { accountId: string; checkId: string }

export const latestAlert = query('latest-alert', (k, p: OfCheck) =>
  k
    .selectFrom('check_alerts')
    .select(['id', 'alert_type', 'created_at'])
    .where('account_id', '=', p.accountId)
    .where('check_id', '=', p.checkId)
    .where('alert_type', '<>', 'ALERT_SSL')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

export const notificationsOfAlert = query(
  'notifications-of-alert',
  (k, p: { accountId: string; checkId: string; alertId: string }) =>
    k
      .selectFrom('alert_notifications')
      .select([
        'id',
        'channel_id',
        'status',
        'sent_at',
        'doc',
        'held',
        'gather',
        'bundle_id',
        'claims',
        'due_at',
      ])
      .where('check_id', '=', p.checkId)
      .where('check_alert_id', '=', p.alertId)
      .where('account_id', '=', p.accountId),
)

export const sizeOfBundle = query('size-of-bundle', (k, p: { bundleId: string }) =>
  k
    .selectFrom('alert_notifications')
    .select((at) => at.fn.countAll<number>().as('total'))
    .where('bundle_id', '=', p.bundleId),
)

export const latestFinals = (
  db: Db,
  { checkId, limit }: { checkId: string; limit: number },
): Promise<Result[]> =>
  someResults(db, { checkId, direction: 'newest-first', filter: { resultType: 'FINAL' } }, limit)

export const channelsOfAccount = query('channels-of-account', (k, p: { accountId: string }) =>
  k.selectFrom('alert_channels').select(['id', 'type']).where('account_id', '=', p.accountId).orderBy('id'),
)
