import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { IncidentsTable } from '../../platform/store/database/tables/status-pages.ts'
import { changedMeanwhile, entityTag, ifMatchHeader } from '../../platform/web/http/request/entity-tag.ts'
import { type Reply, type Route, reply, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { cursorPage, cursorParameters, positionOf } from '../../platform/words/shapes/cursor.ts'
import { always, recordNames, recordNamesIn } from '../../platform/words/shapes/ignored-names.ts'
import { findIncident, listIncidents, pagesOfIncident } from './queries.ts'
import { changeIncident, createIncident, removeIncident } from './save-incident.ts'
import {
  exampleIncident,
  exampleNewIncident,
  Incident,
  IncidentChanges,
  IncidentId,
  IncidentPage,
  NewIncident,
  WrittenIncident,
} from './schema.ts'
import { serializeIncidents } from './serialize-incident.ts'
import { incidentUpdateRoutes } from './update-routes.ts'

const ignored = [
  ...recordNames,
  ...always('lastUpdateStatus', 'duration', 'incidentUpdates'),
  ...recordNamesIn('incidentUpdates'),
]

const tag = 'Incidents'
const oneExample = { incidentId: exampleIncident.id }

const tagged = async (app: App, row: IncidentsTable): Promise<Reply<Incident>> => {
  const [incident] = await serializeIncidents(app.db, [row], app.clock.now())
  if (!incident) throw notFound()
  return reply(incident, { headers: { etag: entityTag(row.version) } })
}

/** An incident that no page shows is told to nobody. */
const written = async (app: App, row: IncidentsTable): Promise<Reply<WrittenIncident>> => {
  const { body, ...answer } = await tagged(app, row)
  const isShown = (await app.db.get(pagesOfIncident, { incidentId: row.id })) !== undefined
  return { ...answer, body: isShown ? body : { ...body, warnings: [unseen] } }
}

const unseen = {
  message: 'No status page has any of its services on a card: no visitor sees it, and nobody is told of it.',
}

const list = route({
  method: 'GET',
  path: '/v1/status-pages/incidents',
  access: 'READ_ONLY',
  tag,
  summary: 'List incidents, newest first',
  query: Type.Object(cursorParameters, { additionalProperties: false }),
  status: 200,
  response: IncidentPage,
  example: { query: { limit: 20 }, response: { length: 1, entries: [exampleIncident], nextId: null } },
  handle: async ({ query: { limit, nextId }, principal: { accountId } }, app) => {
    const found = await listIncidents(app.db, accountId, { after: positionOf(nextId), limit: limit + 1 })
    const page = cursorPage(found, limit)
    const entries = await serializeIncidents(app.db, page.rows, app.clock.now())
    return { length: entries.length, entries, nextId: page.nextId }
  },
})

const create = route({
  method: 'POST',
  path: '/v1/status-pages/incidents',
  access: 'READ_WRITE',
  tag,
  summary: 'Open an incident with its first update',
  description:
    'It shows on every status page with one of its services on a card. An incident of the past is filled in with ' +
    'back-dated updates; one that is RESOLVED from the start has no duration.',
  body: NewIncident,
  ignores: ignored,
  status: 201,
  response: WrittenIncident,
  example: { body: exampleNewIncident, response: exampleIncident },
  handle: async ({ body, principal }, app) =>
    written(app, await createIncident(app, principal.accountId, body)),
})

const read = route({
  method: 'GET',
  path: '/v1/status-pages/incidents/:incidentId',
  access: 'READ_ONLY',
  tag,
  summary: 'One incident',
  params: IncidentId,
  status: 200,
  response: Incident,
  example: { params: oneExample, response: exampleIncident },
  handle: async ({ params, principal: { accountId } }, app) => {
    const row = await app.db.get(findIncident, { id: params.incidentId, accountId })
    if (!row) throw notFound()
    return tagged(app, row)
  },
})

const change = (method: 'PUT' | 'PATCH') =>
  route({
    method,
    path: '/v1/status-pages/incidents/:incidentId',
    access: 'READ_WRITE',
    tag,
    summary: 'Change name, severity or services of an incident',
    description: 'Only the fields that are sent change.',
    params: IncidentId,
    requestHeaders: ifMatchHeader,
    body: IncidentChanges,
    ignores: ignored,
    status: 200,
    otherStatuses: changedMeanwhile,
    response: WrittenIncident,
    example: { params: oneExample, body: { severity: 'MAJOR' }, response: exampleIncident },
    handle: async ({ params, body, headers, principal: { accountId } }, app) => {
      const ifMatch = headers['if-match']
      return written(
        app,
        await changeIncident(app, { id: params.incidentId, accountId, changes: body, ifMatch }),
      )
    },
  })

const remove = route({
  method: 'DELETE',
  path: '/v1/status-pages/incidents/:incidentId',
  access: 'READ_WRITE',
  tag,
  summary: 'Delete an incident and its updates',
  params: IncidentId,
  status: 204,
  example: { params: oneExample },
  handle: async ({ params, principal }, app) => {
    await removeIncident(app, params.incidentId, principal.accountId)
  },
})

export { list as listIncidents, read as readIncident }

export const incidentRoutes: Route[] = [
  list,
  create,
  read,
  change('PUT'),
  change('PATCH'),
  remove,
  ...incidentUpdateRoutes,
]
