import { Type } from 'typebox'
import type { DashboardIncidentsTable } from '../../platform/store/database/tables/dashboards.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { cursorPage, cursorParameters, pageOf, positionOf } from '../../platform/words/shapes/cursor.ts'
import { always, recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { allDashboardIncidents, deleteDashboardIncident, findDashboardIncident } from './incident-queries.ts'
import {
  DashboardIncident,
  DashboardIncidentChanges,
  DashboardIncidentId,
  DashboardIncidentUpdate,
  DashboardIncidentUpdateChanges,
  DashboardIncidentUpdateId,
  dashboardIncidentDoc,
  exampleIncident,
  exampleNewIncident,
  exampleNewUpdate,
  exampleUpdate,
  NewDashboardIncident,
  NewDashboardIncidentUpdate,
  type StoredUpdate,
} from './incident-schema.ts'
import {
  changeDashboardIncident,
  createDashboardIncident,
  editDashboardUpdate,
  postDashboardUpdate,
  removeDashboardUpdate,
} from './save-incident.ts'

const tag = 'Dashboard incidents'
const all = '/v1/incidents'
const params = DashboardIncidentId
const oneExample = { id: exampleIncident.id }
const updateExample = { incidentId: exampleIncident.id, id: exampleUpdate.id }
const ignored = [...recordNames, ...always('dashboardId', 'incidentUpdates')]
const ignoredOfUpdates = [...recordNames, ...always('incidentId')]

const presentUpdate = (incidentId: string, update: StoredUpdate): DashboardIncidentUpdate => ({
  ...{ id: update.id, incidentId, status: update.status, description: update.description },
  ...{ created_at: toIso(update.createdAt), updated_at: toIsoOrNull(update.updatedAt) },
})

const present = (row: DashboardIncidentsTable, howMany: number): DashboardIncident => {
  const { name, impact, startedAt, stoppedAt, updates } = dashboardIncidentDoc.read(row.doc)
  return {
    ...{ id: row.id, dashboardId: row.dashboard_id, name, impact },
    ...{ startedAt: toIsoOrNull(startedAt), stoppedAt: toIsoOrNull(stoppedAt) },
    incidentUpdates: updates.slice(0, howMany).map((update) => presentUpdate(row.id, update)),
    ...{ created_at: toIso(row.created_at), updated_at: toIsoOrNull(row.updated_at) },
  }
}

const list = route({
  method: 'GET',
  path: all,
  access: 'READ_ONLY',
  tag,
  summary: 'List the incidents of all dashboards, oldest first, each with its latest update',
  query: Type.Object(cursorParameters, { additionalProperties: false }),
  status: 200,
  response: pageOf(DashboardIncident, 'DashboardIncidentPage'),
  example: { query: { limit: 20 }, response: { length: 1, entries: [exampleIncident], nextId: null } },
  handle: async ({ query: { limit, nextId }, principal: { accountId } }, app) => {
    const found = await allDashboardIncidents(app.db, accountId, {
      after: positionOf(nextId),
      limit: limit + 1,
    })
    const page = cursorPage(found, limit)
    const entries = page.rows.map((row) => present(row, 1))
    return { length: entries.length, entries, nextId: page.nextId }
  },
})

const create = route({
  method: 'POST',
  path: all,
  access: 'READ_WRITE',
  tag,
  summary: 'Tell of an incident on a dashboard, with its first update',
  description: 'It is shown while the dashboard has `enableIncidents`.',
  body: NewDashboardIncident,
  ignores: recordNames,
  status: 201,
  otherStatuses: { 409: 'The dashboard has too many incidents' },
  response: DashboardIncident,
  example: { body: exampleNewIncident, response: exampleIncident },
  handle: async ({ body, principal: { accountId } }, app) =>
    present(await createDashboardIncident(app, accountId, body), 1),
})

const read = route({
  method: 'GET',
  path: `${all}/:id`,
  access: 'READ_ONLY',
  tag,
  summary: 'One incident of a dashboard',
  params,
  query: Type.Object(
    {
      includeAllIncidentUpdates: Type.Boolean({
        default: false,
        description: 'Instead of the latest update',
      }),
    },
    { additionalProperties: false },
  ),
  status: 200,
  response: DashboardIncident,
  example: { params: oneExample, response: exampleIncident },
  handle: async ({ params: { id }, query, principal: { accountId } }, app) => {
    const row = await app.db.get(findDashboardIncident, { id, accountId })
    if (!row) throw notFound()
    return present(row, query.includeAllIncidentUpdates ? Number.POSITIVE_INFINITY : 1)
  },
})

const update = route({
  method: 'PUT',
  path: `${all}/:id`,
  access: 'READ_WRITE',
  tag,
  summary: 'Change name, impact or dates of an incident of a dashboard',
  description: 'Only what is sent changes.',
  params,
  body: DashboardIncidentChanges,
  ignores: ignored,
  status: 200,
  response: DashboardIncident,
  example: { params: oneExample, body: { impact: 'MINOR' }, response: exampleIncident },
  handle: async ({ params: { id }, body, principal: { accountId } }, app) =>
    present(await changeDashboardIncident(app, { id, accountId }, body), 1),
})

const remove = route({
  method: 'DELETE',
  path: `${all}/:id`,
  access: 'READ_WRITE',
  tag,
  summary: 'Delete an incident of a dashboard with its updates',
  params,
  status: 204,
  example: { params: oneExample },
  handle: async ({ params: { id }, principal: { accountId } }, app) => {
    if ((await app.db.run(deleteDashboardIncident, { id, accountId })) === 0) throw notFound()
  },
})

const post = route({
  method: 'POST',
  path: `${all}/:incidentId/updates`,
  access: 'READ_WRITE',
  tag,
  summary: 'Post an update about an incident of a dashboard',
  params: Type.Object({ incidentId: Type.String({ format: 'uuid' }) }),
  body: NewDashboardIncidentUpdate,
  ignores: ignoredOfUpdates,
  status: 201,
  otherStatuses: { 409: 'The incident has too many updates' },
  response: DashboardIncidentUpdate,
  example: {
    params: { incidentId: exampleIncident.id },
    body: exampleNewUpdate,
    response: exampleUpdate,
  },
  handle: async ({ params: { incidentId: id }, body, principal: { accountId } }, app) =>
    presentUpdate(id, await postDashboardUpdate(app, { id, accountId }, body)),
})

const edit = route({
  method: 'PUT',
  path: `${all}/:incidentId/updates/:id`,
  access: 'READ_WRITE',
  tag,
  summary: 'Correct an update of an incident of a dashboard',
  description: 'Only what is sent changes.',
  params: DashboardIncidentUpdateId,
  body: DashboardIncidentUpdateChanges,
  ignores: ignoredOfUpdates,
  status: 200,
  response: DashboardIncidentUpdate,
  example: { params: updateExample, body: { description: 'Payments fail.' }, response: exampleUpdate },
  handle: async ({ params: { incidentId: id, id: updateId }, body, principal: { accountId } }, app) =>
    presentUpdate(id, await editDashboardUpdate(app, { id, accountId, updateId }, body)),
})

const removeUpdate = route({
  method: 'DELETE',
  path: `${all}/:incidentId/updates/:id`,
  access: 'READ_WRITE',
  tag,
  summary: 'Delete an update of an incident of a dashboard',
  params: DashboardIncidentUpdateId,
  status: 204,
  otherStatuses: { 409: 'It is the only update of the incident' },
  example: { params: updateExample },
  handle: async ({ params: { incidentId: id, id: updateId }, principal: { accountId } }, app) => {
    await removeDashboardUpdate(app, { id, accountId, updateId })
  },
})

export { list as listDashboardIncidents }

export const dashboardIncidentRoutes: Route[] = [list, create, read, update, remove, post, edit, removeUpdate]
