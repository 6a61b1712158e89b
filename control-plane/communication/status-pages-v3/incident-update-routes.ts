import { Type } from 'typebox'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { editUpdate, postUpdate, removeUpdate } from '../incidents/incident-updates.ts'
import {
  exampleNewUpdate,
  exampleUpdate,
  IncidentUpdate,
  IncidentUpdateChanges,
} from '../incidents/schema.ts'
import { serializeIncidentUpdate, shownUpdates } from '../incidents/serialize-incident.ts'
import { findIncidentUpdate, updatesOfIncidents } from '../incidents/update-queries.ts'
import { exampleIncidentV3, IncidentV3Id, NewUpdateV3, UpdateV3Id } from './incident-schema.ts'
import { findOnPage, requireComponents, withImpacts } from './incidents.ts'

const tag = 'Status pages, version 3'
const all = '/v3/status-pages/:statusPageId/incidents/:incidentId/incident-updates'
const one = `${all}/:incidentUpdateId` as const
const allExample = { statusPageId: exampleIncidentV3.statusPageId, incidentId: exampleIncidentV3.id }
const oneExample = { ...allExample, incidentUpdateId: exampleUpdate.id }

const list = route({
  method: 'GET',
  path: all,
  access: 'READ_ONLY',
  tag,
  summary: 'The newest 100 updates of an incident of a page, newest first',
  params: IncidentV3Id,
  status: 200,
  response: Type.Array(IncidentUpdate),
  example: { params: allExample, response: [exampleUpdate] },
  handle: async ({ params: { statusPageId: pageId, incidentId }, principal: { accountId } }, app) => {
    const { id } = await findOnPage(app.db, { pageId, incidentId, accountId })
    const found = await app.db.all(updatesOfIncidents, { ids: [id], limit: shownUpdates })
    return found.map(serializeIncidentUpdate)
  },
})

const post = route({
  method: 'POST',
  path: all,
  access: 'READ_WRITE',
  tag,
  summary: 'Post an update about an incident of a page',
  description: 'With `componentImpacts` components change at its moment; a RESOLVED one ends what goes on.',
  params: IncidentV3Id,
  body: NewUpdateV3,
  ignores: recordNames,
  status: 201,
  response: IncidentUpdate,
  example: { params: allExample, body: exampleNewUpdate, response: exampleUpdate },
  handle: async ({ params: { statusPageId: pageId, incidentId }, body, principal: { accountId } }, app) => {
    const { id } = await findOnPage(app.db, { pageId, incidentId, accountId })
    const { componentImpacts: named, ...update } = body
    if (named === undefined)
      return serializeIncidentUpdate(await postUpdate(app, { incidentId: id, accountId }, update))
    const posted = await postUpdate(
      app,
      { incidentId: id, accountId },
      update,
      async (trx, incident, row) => {
        await requireComponents(trx, pageId, { named, isOnce: true })
        return withImpacts(trx, incident, { named, at: row.published_at })
      },
    )
    return serializeIncidentUpdate(posted)
  },
})

const read = route({
  method: 'GET',
  path: one,
  access: 'READ_ONLY',
  tag,
  summary: 'One update of an incident of a page',
  params: UpdateV3Id,
  status: 200,
  response: IncidentUpdate,
  example: { params: oneExample, response: exampleUpdate },
  handle: async ({ params, principal: { accountId } }, app) => {
    const { statusPageId: pageId, incidentId, incidentUpdateId: id } = params
    const incident = await findOnPage(app.db, { pageId, incidentId, accountId })
    const row = await app.db.get(findIncidentUpdate, { id, incidentId: incident.id, accountId })
    if (!row) throw notFound()
    return serializeIncidentUpdate(row)
  },
})

const edit = route({
  method: 'PUT',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Correct an update of an incident of a page',
  description: 'Only what is sent changes. Nobody is mailed again.',
  params: UpdateV3Id,
  body: IncidentUpdateChanges,
  ignores: recordNames,
  status: 200,
  response: IncidentUpdate,
  example: { params: oneExample, body: exampleNewUpdate, response: exampleUpdate },
  handle: async ({ params, body, principal: { accountId } }, app) => {
    const { statusPageId: pageId, incidentId, incidentUpdateId: id } = params
    const incident = await findOnPage(app.db, { pageId, incidentId, accountId })
    return serializeIncidentUpdate(await editUpdate(app, { id, incidentId: incident.id, accountId }, body))
  },
})

const remove = route({
  method: 'DELETE',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Delete an update of an incident of a page',
  params: UpdateV3Id,
  status: 204,
  otherStatuses: { 409: 'It is the only update of the incident' },
  example: { params: oneExample },
  handle: async ({ params, principal: { accountId } }, app) => {
    const { statusPageId: pageId, incidentId, incidentUpdateId: id } = params
    const incident = await findOnPage(app.db, { pageId, incidentId, accountId })
    await removeUpdate(app, { id, incidentId: incident.id, accountId })
  },
})

export const incidentUpdateV3Routes: Route[] = [list, post, read, edit, remove]
