import { Type } from 'typebox'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { editUpdate, postUpdate, removeUpdate } from './incident-updates.ts'
import { findIncident } from './queries.ts'
import {
  exampleIncident,
  exampleNewUpdate,
  exampleUpdate,
  IncidentId,
  IncidentUpdate,
  IncidentUpdateChanges,
  IncidentUpdateId,
  NewIncidentUpdate,
} from './schema.ts'
import { serializeIncidentUpdate, shownUpdates } from './serialize-incident.ts'
import { findIncidentUpdate, updatesOfIncidents } from './update-queries.ts'

const tag = 'Incidents'
const all = '/v1/status-pages/incidents/:incidentId/incident-updates'
const one = `${all}/:incidentUpdateId` as const
const allExample = { incidentId: exampleIncident.id }
const oneExample = { ...allExample, incidentUpdateId: exampleUpdate.id }

const list = route({
  method: 'GET',
  path: all,
  access: 'READ_ONLY',
  tag,
  summary: 'The newest 100 updates of an incident, newest first',
  params: IncidentId,
  status: 200,
  response: Type.Array(IncidentUpdate),
  example: { params: allExample, response: [exampleUpdate] },
  handle: async ({ params: { incidentId: id }, principal: { accountId } }, app) => {
    if (!(await app.db.get(findIncident, { id, accountId }))) throw notFound()
    const found = await app.db.all(updatesOfIncidents, { ids: [id], limit: shownUpdates })
    return found.map(serializeIncidentUpdate)
  },
})

const post = route({
  method: 'POST',
  path: all,
  access: 'READ_WRITE',
  tag,
  summary: 'Post an update about an incident',
  params: IncidentId,
  body: NewIncidentUpdate,
  ignores: recordNames,
  status: 201,
  response: IncidentUpdate,
  example: { params: allExample, body: exampleNewUpdate, response: exampleUpdate },
  handle: async ({ params: { incidentId }, body, principal: { accountId } }, app) =>
    serializeIncidentUpdate(await postUpdate(app, { incidentId, accountId }, body)),
})

const read = route({
  method: 'GET',
  path: one,
  access: 'READ_ONLY',
  tag,
  summary: 'One update',
  params: IncidentUpdateId,
  status: 200,
  response: IncidentUpdate,
  example: { params: oneExample, response: exampleUpdate },
  handle: async ({ params: { incidentId, incidentUpdateId: id }, principal: { accountId } }, app) => {
    const row = await app.db.get(findIncidentUpdate, { id, incidentId, accountId })
    if (!row) throw notFound()
    return serializeIncidentUpdate(row)
  },
})

const edit = route({
  method: 'PUT',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Correct an update',
  description: 'Only the fields that are sent change. Nobody is mailed again.',
  params: IncidentUpdateId,
  body: IncidentUpdateChanges,
  ignores: recordNames,
  status: 200,
  response: IncidentUpdate,
  example: { params: oneExample, body: exampleNewUpdate, response: exampleUpdate },
  handle: async ({ params: { incidentId, incidentUpdateId: id }, body, principal: { accountId } }, app) =>
    serializeIncidentUpdate(await editUpdate(app, { id, incidentId, accountId }, body)),
})

const remove = route({
  method: 'DELETE',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Delete an update',
  params: IncidentUpdateId,
  status: 204,
  otherStatuses: { 409: 'It is the only update of the incident' },
  example: { params: oneExample },
  handle: async ({ params: { incidentId, incidentUpdateId: id }, principal: { accountId } }, app) => {
    await removeUpdate(app, { id, incidentId, accountId })
  },
})

export { list as listIncidentUpdates }

export const incidentUpdateRoutes: Route[] = [list, post, read, edit, remove]
