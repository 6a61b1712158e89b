/** The history of alerts: what happened, when it was over, and what became of each message about it. */
import type { Db } from '../../platform/store/database/db.ts'
import { containing } from '../../platform/store/database/engines.ts'
import { query } from '../../platform/store/database/query.ts'
import type { CheckAlertsTable } from '../../platform/store/database/tables/alert-channels.ts'

type AlertFilter = {
  accountId: string
  checkId?: string | undefined
  /** Part of the name of the check, or of the location, then. */
  search?: string | undefined
  channelId?: number | undefined
  alertTypes?: readonly string[] | undefined
  /** Instants of the alert; `to` exclusive. */
  from: number
  to: number
}

export type AlertCursor = { createdAt: number; id: string }

/** Null: it is not over, or does not end by a recovery. */
export type ListedAlert = CheckAlertsTable & { ended_at: number | null }

const recoveries = ['ALERT_RECOVERY', 'ALERT_DEGRADED_RECOVERY']

/** The newest first, behind a place in that order. */
export const alertsBefore = (
  db: Db,
  { accountId, checkId, search, channelId, alertTypes, from, to }: AlertFilter,
  { before, limit }: { before: AlertCursor | undefined; limit: number },
): Promise<ListedAlert[]> =>
  db.select((k, engine) => {
    let list = k
      .selectFrom('check_alerts as a')
      .selectAll('a')
      .select((at) =>
        at
          .selectFrom('check_alerts as r')
          .select((of) => of.fn.min<number>('r.created_at').as('at'))
          .whereRef('r.check_id', '=', 'a.check_id')
          .whereRef('r.created_at', '>', 'a.created_at')
          .where('r.alert_type', 'in', recoveries)
          .where((of) => of.or([of('a.problem', 'is', null), of('r.problem', '=', of.ref('a.problem'))]))
          .as('ended_at'),
      )
      .where('a.account_id', '=', accountId)
      .where('a.created_at', '>=', from)
      .where('a.created_at', '<', to)
      .orderBy('a.created_at', 'desc')
      .orderBy('a.id', 'desc')
      .limit(limit)
    if (before !== undefined)
      list = list.where((of) =>
        of(of.refTuple('a.created_at', 'a.id'), '<', of.tuple(before.createdAt, before.id)),
      )
    if (checkId !== undefined) list = list.where('a.check_id', '=', checkId)
    if (alertTypes !== undefined) list = list.where('a.alert_type', 'in', alertTypes)
    if (search !== undefined)
      list = list.where((at) => engine.containsText(at.ref('a.name'), containing(search)))
    if (channelId !== undefined)
      list = list.where((at) =>
        at.exists(
          at
            .selectFrom('alert_notifications as n')
            .select('n.id')
            .whereRef('n.check_id', '=', 'a.check_id')
            .whereRef('n.check_alert_id', '=', 'a.id')
            .where('n.channel_id', '=', channelId),
        ),
      )
    return list
  })

type Told = { accountId: string; checkIds: readonly string[]; alertIds: readonly string[] }

/** A few for each alert: an account has not more channels than that. */
export const notificationsOfAlerts = query('notifications-of-alerts', (k, p: Told, engine) =>
  k
    .selectFrom('alert_notifications')
    .select(['id', 'check_alert_id', 'check_result_id', 'channel_id', 'type', 'status', 'tries', 'doc'])
    .where('check_id', 'in', engine.textList(p.checkIds))
    .where('check_alert_id', 'in', engine.textList(p.alertIds))
    .where('account_id', '=', p.accountId)
    .orderBy('channel_id')
    .orderBy('id')
    .limit(5000),
)
