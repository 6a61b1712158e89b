/** All SQL about the list of alerts. Its rows are written with the transition that they tell of. */
import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import type { CheckAlertsTable } from '../../platform/database/tables/alert-channels.ts'

export const insertCheckAlert = query('insert-check-alert', (k, p: CheckAlertsTable) =>
  k.insertInto('check_alerts').values({
    id: p.id,
    account_id: p.account_id,
    check_id: p.check_id,
    check_type: p.check_type,
    alert_type: p.alert_type,
    name: p.name,
    started_at: p.started_at,
    created_at: p.created_at,
    doc: p.doc,
  }),
)

export const deleteAlertsOfCheck = query(
  'delete-alerts-of-check',
  (k, p: { accountId: string; checkId: string }) =>
    k.deleteFrom('check_alerts').where('account_id', '=', p.accountId).where('check_id', '=', p.checkId),
)

export type AlertFilter = { accountId: string; checkId?: string; from: number; to: number }

/** Newest first. */
export const listCheckAlerts = (
  db: Db,
  { accountId, checkId, from, to }: AlertFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<CheckAlertsTable[]> =>
  db.select((k) => {
    const list = k
      .selectFrom('check_alerts')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('created_at', '>=', from)
      .where('created_at', '<', to)
    return (checkId === undefined ? list : list.where('check_id', '=', checkId))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
  })

export const countCheckAlerts = async (
  db: Db,
  { accountId, checkId, from, to }: AlertFilter,
): Promise<number> => {
  const [row] = await db.select((k) => {
    const list = k
      .selectFrom('check_alerts')
      .select((at) => at.fn.countAll<number>().as('total'))
      .where('account_id', '=', accountId)
      .where('created_at', '>=', from)
      .where('created_at', '<', to)
    return checkId === undefined ? list : list.where('check_id', '=', checkId)
  })
  return row?.total ?? 0
}

export const checkExists = query('alerted-check-exists', (k, p: { id: string; accountId: string }) =>
  k.selectFrom('checks').select('id').where('id', '=', p.id).where('account_id', '=', p.accountId),
)
