import type { Violation } from '../../../protocol/validate.ts'
import type { App } from '../../platform/app/app.ts'
import type { DashboardIncidentsTable } from '../../platform/store/database/tables/dashboards.ts'
import { ApiError, invalid, notFound, violation } from '../../platform/words/errors.ts'
import { readInstant } from '../../platform/words/shapes/instants.ts'
import {
  countIncidentsOfDashboard,
  insertDashboardIncident,
  lockDashboardIncident,
  updateDashboardIncident,
} from './incident-queries.ts'
import {
  type DashboardIncidentChanges,
  type DashboardIncidentDoc,
  type DashboardIncidentUpdateChanges,
  dashboardIncidentDoc,
  mostUpdates,
  type NewDashboardIncident,
  type NewDashboardIncidentUpdate,
  type StoredUpdate,
} from './incident-schema.ts'
import { shareDashboard } from './queries.ts'

/** Of a dashboard. */
const mostIncidents = 1000

/** @throws ApiError 400, 404, 409 */
export const createDashboardIncident = (
  app: App,
  accountId: string,
  { name, impact = 'MINOR', dashboardId, incidentUpdates, ...dates }: NewDashboardIncident,
): Promise<DashboardIncidentsTable> => {
  const now = app.clock.now()
  const [first] = incidentUpdates as [NewDashboardIncidentUpdate]
  const doc = {
    ...{ name, impact, startedAt: null, stoppedAt: null, ...datesOf(dates) },
    updates: [newUpdate(app, first)],
  }
  requireOrder(doc)
  const row: DashboardIncidentsTable = {
    ...{ id: app.newId(), account_id: accountId, dashboard_id: dashboardId },
    ...{ created_at: now, updated_at: null, version: 1, doc: dashboardIncidentDoc.write(doc) },
  }
  return app.db.transaction(async (trx) => {
    if (!(await trx.get(shareDashboard, { id: dashboardId, accountId })))
      throw invalid([violation('dashboardId', 'exists', 'is not the id of a dashboard of the account')])
    const { total = 0 } = (await trx.get(countIncidentsOfDashboard, { id: dashboardId })) ?? {}
    if (total >= mostIncidents)
      throw new ApiError(409, `A dashboard has at most ${mostIncidents} incidents: delete old ones`)
    await trx.run(insertDashboardIncident, row)
    return row
  })
}

type OneIncident = { id: string; accountId: string }

/** Only what is sent changes. @throws ApiError 400, 404 */
export const changeDashboardIncident = (
  app: App,
  one: OneIncident,
  { name, impact, ...dates }: DashboardIncidentChanges,
): Promise<DashboardIncidentsTable> => {
  const instants = datesOf(dates)
  return changing(app, one, (doc) => {
    const next = { ...doc, name: name ?? doc.name, impact: impact ?? doc.impact, ...instants }
    requireOrder(next)
    return next
  })
}

/** @throws ApiError 404, 409 */
export const postDashboardUpdate = async (
  app: App,
  one: OneIncident,
  update: NewDashboardIncidentUpdate,
): Promise<StoredUpdate> => {
  const posted = newUpdate(app, update)
  await changing(app, one, (doc) => {
    if (doc.updates.length >= mostUpdates)
      throw new ApiError(409, `An incident has at most ${mostUpdates} updates`)
    return { ...doc, updates: [posted, ...doc.updates] }
  })
  return posted
}

/** Only what is sent changes. @throws ApiError 404 */
export const editDashboardUpdate = async (
  app: App,
  { updateId, ...one }: OneIncident & { updateId: string },
  changes: DashboardIncidentUpdateChanges,
): Promise<StoredUpdate> => {
  const now = app.clock.now()
  const edited = (before: StoredUpdate): StoredUpdate => ({
    ...before,
    status: changes.status ?? before.status,
    description: changes.description ?? before.description,
    updatedAt: now,
  })
  const row = await changing(app, one, (doc) => ({
    ...doc,
    updates: doc.updates.map((each) => (each.id === updateId ? edited(each) : each)),
  }))
  const found = dashboardIncidentDoc.read(row.doc).updates.find(({ id }) => id === updateId)
  if (found === undefined) throw notFound()
  return found
}

/** @throws ApiError 404, 409 */
export const removeDashboardUpdate = (
  app: App,
  { updateId, ...one }: OneIncident & { updateId: string },
): Promise<DashboardIncidentsTable> =>
  changing(app, one, (doc) => {
    const updates = doc.updates.filter(({ id }) => id !== updateId)
    if (updates.length === doc.updates.length) throw notFound()
    if (updates.length === 0)
      throw new ApiError(409, 'An incident has at least one update: delete the incident instead')
    return { ...doc, updates }
  })

const newUpdate = (app: App, { status, description }: NewDashboardIncidentUpdate): StoredUpdate => ({
  ...{ id: app.newId(), status, description, createdAt: app.clock.now(), updatedAt: null },
})

const changing = (
  app: App,
  { id, accountId }: OneIncident,
  change: (doc: DashboardIncidentDoc) => DashboardIncidentDoc,
): Promise<DashboardIncidentsTable> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const before = await trx.get(lockDashboardIncident, { id, accountId })
    if (!before) throw notFound()
    const row = {
      ...before,
      doc: dashboardIncidentDoc.write(change(dashboardIncidentDoc.read(before.doc))),
      updated_at: now,
      version: before.version + 1,
    }
    await trx.run(updateDashboardIncident, row)
    return row
  })
}

type Dates = Pick<DashboardIncidentChanges, 'startedAt' | 'stoppedAt'>

/** Those that were sent, as instants. @throws ApiError 400 */
const datesOf = (dates: Dates): Partial<Pick<DashboardIncidentDoc, 'startedAt' | 'stoppedAt'>> => {
  const violations: Violation[] = []
  const instants = Object.entries(dates).flatMap(([field, text]: [string, string | null | undefined]) => {
    if (text === undefined) return []
    const instant = text === null ? null : readInstant(text)
    if (text !== null && instant === null)
      violations.push(violation(field, 'instant', 'is not a moment from 1970 to 2999'))
    return [[field, instant] as const]
  })
  if (violations.length > 0) throw invalid(violations)
  return Object.fromEntries(instants)
}

const requireOrder = ({ startedAt, stoppedAt }: DashboardIncidentDoc): void => {
  if (startedAt !== null && stoppedAt !== null && stoppedAt < startedAt)
    throw invalid([violation('stoppedAt', 'order', 'must not be before "startedAt"')])
}
