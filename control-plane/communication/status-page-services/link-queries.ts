/** All SQL that says which check belongs to which service. */
import { query } from '../../platform/store/database/query.ts'
import type { ServiceChecksTable } from '../../platform/store/database/tables/status-pages.ts'

export const findServiceLink = query('find-service-link', (k, p: { checkId: string }) =>
  k.selectFrom('service_checks').selectAll().where('check_id', '=', p.checkId),
)

export const saveServiceLink = query('save-service-link', (k, p: ServiceChecksTable) => {
  const changing = {
    ...{ service_id: p.service_id, active: p.active, linked_at: p.linked_at, changed_at: p.changed_at },
  }
  return k
    .insertInto('service_checks')
    .values({ check_id: p.check_id, account_id: p.account_id, ...changing })
    .onConflict((conflict) => conflict.column('check_id').doUpdateSet(changing))
})

export const deleteServiceLink = query('delete-service-link', (k, p: { checkId: string }) =>
  k.deleteFrom('service_checks').where('check_id', '=', p.checkId),
)
