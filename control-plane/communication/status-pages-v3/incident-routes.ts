import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { IncidentsTable } from '../../platform/store/database/tables/status-pages.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { cursorPage, cursorParameters, positionOf } from '../../platform/words/shapes/cursor.ts'
import { always, recordNames, recordNamesIn } from '../../platform/words/shapes/ignored-names.ts'
import { incidentsOfPages } from '../incidents/queries.ts'
import { changeIncident, createIncident, removeIncident } from '../incidents/save-incident.ts'
import { StatusPageId } from '../stored-pages/page-doc.ts'
import {
  exampleIncidentV3,
  exampleNewIncidentV3,
  ImpactTimeline,
  IncidentV3,
  IncidentV3Changes,
  IncidentV3Id,
  IncidentV3Page,
  NewIncidentV3,
} from './incident-schema.ts'
import { findOnPage, presentIncidents, replaceImpacts, requireComponents, requirePage } from './incidents.ts'

const tag = 'Status pages, version 3'
const all = '/v3/status-pages/:statusPageId/incidents'
const one = `${all}/:incidentId` as const
const allExample = { statusPageId: exampleIncidentV3.statusPageId }
const oneExample = { ...allExample, incidentId: exampleIncidentV3.id }
const ignoredOfNew = [...recordNames, ...recordNamesIn('incidentUpdates')]
const answered = ['statusPageId', 'status', 'impact', 'startedAt', 'resolvedAt'] as const
const ignored = [...recordNames, ...always(...answered, 'componentImpacts', 'incidentUpdates')]

/** Of a page, so many are listed. */
const listed = 1000

const present = async (app: App, pageId: string, row: IncidentsTable): Promise<IncidentV3> => {
  const [incident] = await presentIncidents(app.db, pageId, [row])
  if (incident === undefined) throw notFound()
  return incident
}

const list = route({
  method: 'GET',
  path: all,
  access: 'READ_ONLY',
  tag,
  summary: 'List the incidents that a page shows, newest first',
  description: 'The newest 1000; also those that were opened on services that stand on it.',
  params: StatusPageId,
  query: Type.Object(cursorParameters, { additionalProperties: false }),
  status: 200,
  response: IncidentV3Page,
  example: { params: allExample, response: { length: 1, entries: [exampleIncidentV3], nextId: null } },
  handle: async (
    { params: { statusPageId: pageId }, query: { limit, nextId }, principal: { accountId } },
    app,
  ) => {
    await requirePage(app.db, { pageId, accountId })
    const after = positionOf(nextId)
    const found = await app.db.all(incidentsOfPages, { pageIds: [pageId.toLowerCase()], limit: listed })
    const rows = found.filter(
      ({ created_at: at, id }) =>
        after === undefined || at < after.createdAt || (at === after.createdAt && id < after.id),
    )
    const page = cursorPage(rows.slice(0, limit + 1), limit)
    const entries = await presentIncidents(app.db, pageId, page.rows)
    return { length: entries.length, entries, nextId: page.nextId }
  },
})

const create = route({
  method: 'POST',
  path: all,
  access: 'READ_WRITE',
  tag,
  summary: 'Open an incident on a page with its first update',
  description: 'It is told on this page alone. Its severity in version 1 is that of the worst impact.',
  params: StatusPageId,
  body: NewIncidentV3,
  ignores: ignoredOfNew,
  status: 201,
  response: IncidentV3,
  example: { params: allExample, body: exampleNewIncidentV3, response: exampleIncidentV3 },
  handle: async ({ params, body, principal: { accountId } }, app) => {
    const pageId = params.statusPageId.toLowerCase()
    await requirePage(app.db, { pageId, accountId })
    const named = body.componentImpacts ?? []
    await requireComponents(app.db, pageId, { named, isOnce: true })
    const impacts = named.flatMap(({ componentId: serviceId, impact = 'MAJOR_OUTAGE' }) =>
      impact === 'OPERATIONAL' ? [] : [{ serviceId, impact }],
    )
    const { name, incidentUpdates } = body
    const services = impacts.map(({ serviceId: id }) => ({ id }))
    const told = { statusPageId: pageId, impacts }
    return present(
      app,
      pageId,
      await createIncident(app, accountId, { name, services, incidentUpdates }, told),
    )
  },
})

const read = route({
  method: 'GET',
  path: one,
  access: 'READ_ONLY',
  tag,
  summary: 'One incident of a page',
  params: IncidentV3Id,
  status: 200,
  response: IncidentV3,
  example: { params: oneExample, response: exampleIncidentV3 },
  handle: async ({ params: { statusPageId: pageId, incidentId }, principal: { accountId } }, app) =>
    present(app, pageId, await findOnPage(app.db, { pageId, incidentId, accountId })),
})

const update = route({
  method: 'PUT',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Rename an incident of a page',
  description: 'What it does to components is changed by updates, or as a whole at `component-impacts`.',
  params: IncidentV3Id,
  body: IncidentV3Changes,
  ignores: ignored,
  status: 200,
  response: IncidentV3,
  example: { params: oneExample, body: { name: 'Payments fail' }, response: exampleIncidentV3 },
  handle: async (
    { params: { statusPageId: pageId, incidentId }, body: changes, principal: { accountId } },
    app,
  ) => {
    const { id } = await findOnPage(app.db, { pageId, incidentId, accountId })
    return present(app, pageId, await changeIncident(app, { id, accountId, changes, ifMatch: undefined }))
  },
})

const remove = route({
  method: 'DELETE',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Delete an incident of a page with its updates',
  params: IncidentV3Id,
  status: 204,
  example: { params: oneExample },
  handle: async ({ params: { statusPageId: pageId, incidentId }, principal: { accountId } }, app) => {
    const { id } = await findOnPage(app.db, { pageId, incidentId, accountId })
    await removeIncident(app, id, accountId)
  },
})

const impacts = route({
  method: 'PUT',
  path: `${one}/component-impacts`,
  access: 'READ_WRITE',
  tag,
  summary: 'Replace what an incident did to components, and when',
  description: 'All of it, also of the past: the uptime of the page follows.',
  params: IncidentV3Id,
  body: ImpactTimeline,
  ignores: [...recordNames, ...always(...answered, 'name', 'incidentUpdates')],
  status: 200,
  response: IncidentV3,
  example: {
    params: oneExample,
    body: { componentImpacts: exampleIncidentV3.componentImpacts },
    response: exampleIncidentV3,
  },
  handle: async ({ params: { statusPageId: pageId, incidentId }, body, principal: { accountId } }, app) =>
    present(app, pageId, await replaceImpacts(app, { pageId, incidentId, accountId }, body)),
})

export const incidentV3Routes: Route[] = [list, create, read, update, remove, impacts]
