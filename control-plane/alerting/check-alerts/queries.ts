/** All SQL about the list of alerts. Its rows are written with the transition that they tell of. */

import { type ListSource, readPage } from '../../platform/long-reads/read-slices.ts'
import { query } from '../../platform/store/database/query.ts'
import { rowStatement } from '../../platform/store/database/row-statement.ts'
import type { CheckAlertsTable } from '../../platform/store/database/tables/alert-channels.ts'

export const checkAlertRows = rowStatement({
  name: 'insert-check-alert',
  table: 'check_alerts',
  valuesOf: (p: CheckAlertsTable) => ({
    id: p.id,
    account_id: p.account_id,
    check_id: p.check_id,
    check_type: p.check_type,
    problem: p.problem,
    alert_type: p.alert_type,
    name: p.name,
    started_at: p.started_at,
    created_at: p.created_at,
    opening_host: p.opening_host,
    opening_location: p.opening_location,
    doc: p.doc,
  }),
})

/** Without the account: it would have SQLite walk over all of the account's. */
export const deleteAlertsOfCheck = query('delete-alerts-of-check', (k, p: { checkId: string }) =>
  k.deleteFrom('check_alerts').where('check_id', '=', p.checkId),
)

type AlertFilter = { accountId: string; checkId?: string; from: number; to: number }

/** One page, newest first, and how many there are in all. */
export const listCheckAlerts = (
  source: ListSource,
  { accountId, checkId, from, to }: AlertFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: CheckAlertsTable[]; total: number }> =>
  readPage(
    source,
    {
      table: 'check_alerts',
      index: checkId === undefined ? 'check_alerts_account' : 'check_alerts_check',
      owner: checkId === undefined ? ['account_id', accountId] : ['check_id', checkId],
      at: 'created_at',
      direction: 'newest-first',
      from,
      to,
      filter: (rows) => (checkId === undefined ? rows : rows.where('account_id', '=', accountId)),
    },
    page,
  )

export const checkExists = query('alerted-check-exists', (k, p: { id: string; accountId: string }) =>
  k.selectFrom('checks').select('id').where('id', '=', p.id).where('account_id', '=', p.accountId),
)

type OfCheck = { checkId: string; accountId: string }

/** The newest alert of a check that tells of a failure. */
export const newestFailureAlert = query('newest-failure-alert', (k, p: OfCheck) =>
  k
    .selectFrom('check_alerts')
    .selectAll()
    .where('check_id', '=', p.checkId)
    .where('account_id', '=', p.accountId)
    .where('alert_type', 'not in', ['ALERT_RECOVERY', 'ALERT_DEGRADED_RECOVERY', 'ALERT_SSL'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

export const findCheckAlert = query('find-check-alert', (k, p: { id: string }) =>
  k.selectFrom('check_alerts').selectAll().where('id', '=', p.id),
)

export const updateCheckAlertDoc = query('update-check-alert-doc', (k, p: { id: string; doc: string }) =>
  k.updateTable('check_alerts').set({ doc: p.doc }).where('id', '=', p.id),
)
