/** All SQL about the incidents of dashboards. */
import { documentQueries } from '../../platform/store/database/document-queries.ts'
import { query } from '../../platform/store/database/query.ts'

export const {
  find: findDashboardIncident,
  lock: lockDashboardIncident,
  insert: insertDashboardIncident,
  update: updateDashboardIncident,
  remove: deleteDashboardIncident,
  after: allDashboardIncidents,
} = documentQueries('dashboard_incidents', {
  name: 'dashboard-incident',
  key: 'id',
  columns: {
    dashboard_id: 'stays',
    created_at: 'stays',
    updated_at: 'changes',
    version: 'changes',
    doc: 'changes',
  },
})

/** Newest first. */
export const incidentsOfDashboard = query(
  'incidents-of-dashboard',
  (k, p: { dashboardId: number; limit: number }) =>
    k
      .selectFrom('dashboard_incidents')
      .selectAll()
      .where('dashboard_id', '=', p.dashboardId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(p.limit),
)

export const countIncidentsOfDashboard = query('count-incidents-of-dashboard', (k, p: { id: number }) =>
  k
    .selectFrom('dashboard_incidents')
    .select((at) => at.fn.countAll<number>().as('total'))
    .where('dashboard_id', '=', p.id),
)

export const deleteIncidentsOfDashboard = query('delete-incidents-of-dashboard', (k, p: { id: number }) =>
  k.deleteFrom('dashboard_incidents').where('dashboard_id', '=', p.id),
)
