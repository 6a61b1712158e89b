/** The occurrences of a window, which the API calls maintenances, and the updates posted about them. */
import { type Static, Type } from 'typebox'
import { offsetOf, pageParameters, pageReply } from '../../platform/web/http/answers/offset-page.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { always, recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { exampleMaintenance, exampleUpdate } from './examples.ts'
import {
  editUpdate,
  listMaintenances,
  moveMaintenance,
  type OneMaintenance,
  postUpdate,
  readMaintenance,
  removeMaintenance,
  removeUpdate,
} from './maintenances.ts'
import {
  Maintenance,
  MaintenanceChanges,
  MaintenanceId,
  MaintenanceUpdate,
  MaintenanceUpdateChanges,
  NewMaintenanceUpdate,
  UpdateId,
  WindowId,
} from './schema.ts'
import { serializeUpdate } from './serialize-window.ts'

const ignored = [...recordNames, ...always('maintenanceWindowId', 'status', 'updates')]
const ignoredOfUpdates = [...recordNames, ...always('notifySubscribers')]

const tag = 'Maintenance windows'
const one = '/v1/maintenance-windows/:id/maintenances/:maintenanceId'
const oneExample = { id: '7', maintenanceId: exampleMaintenance.id }
const updateExample = { ...oneExample, updateId: exampleUpdate.id }

const named = (
  params: Static<typeof MaintenanceId>,
  { accountId }: { accountId: string },
): OneMaintenance => ({
  windowId: params.id,
  accountId,
  maintenanceId: params.maintenanceId,
})

const list = route({
  method: 'GET',
  path: '/v1/maintenance-windows/:id/maintenances',
  access: 'READ_ONLY',
  tag,
  summary: 'Occurrences of a window, in order',
  description: 'A repetition is listed up to 366 days ahead.',
  params: WindowId,
  query: Type.Object(
    { ...pageParameters, limit: Type.Integer({ minimum: 1, maximum: 50, default: 10 }) },
    { additionalProperties: false },
  ),
  status: 200,
  response: Type.Array(Maintenance),
  example: { params: { id: '7' }, query: { limit: 20 }, response: [exampleMaintenance] },
  handle: async ({ params, query, principal: { accountId } }, app) => {
    const page = { id: params.id, accountId, offset: offsetOf(query), limit: query.limit }
    const { items, total } = await listMaintenances(app, page)
    const url = `${app.config.baseUrl}/v1/maintenance-windows/${params.id}/maintenances`
    return pageReply({ items, total, url, query })
  },
})

const read = route({
  method: 'GET',
  path: one,
  access: 'READ_ONLY',
  tag,
  summary: 'One occurrence',
  params: MaintenanceId,
  status: 200,
  response: Maintenance,
  example: { params: oneExample, response: exampleMaintenance },
  handle: ({ params, principal }, app) => readMaintenance(app, named(params, principal)),
})

const move = route({
  method: 'PATCH',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Move one occurrence',
  description: 'The others stay where they are.',
  params: MaintenanceId,
  body: MaintenanceChanges,
  ignores: ignored,
  status: 200,
  response: Maintenance,
  example: {
    params: oneExample,
    body: { endsAt: '2026-03-01T03:00:00.000Z' },
    response: exampleMaintenance,
  },
  handle: ({ params, body, principal }, app) => moveMaintenance(app, named(params, principal), body),
})

const remove = route({
  method: 'DELETE',
  path: one,
  access: 'READ_WRITE',
  tag,
  summary: 'Leave out one occurrence',
  params: MaintenanceId,
  status: 204,
  example: { params: oneExample },
  handle: async ({ params, principal }, app) => {
    await removeMaintenance(app, named(params, principal))
  },
})

const post = route({
  method: 'POST',
  path: `${one}/updates`,
  access: 'READ_WRITE',
  tag,
  summary: 'Post an update about an occurrence',
  description:
    'The occurrence takes its status at once: `IN_PROGRESS` and `VERIFYING` pause and silence, the others do not.',
  params: MaintenanceId,
  body: NewMaintenanceUpdate,
  ignores: ignoredOfUpdates,
  status: 201,
  otherStatuses: { 409: 'It has 100 updates already' },
  response: MaintenanceUpdate,
  example: {
    params: oneExample,
    body: { status: 'IN_PROGRESS', description: 'We have begun.' },
    response: exampleUpdate,
  },
  handle: async ({ params, body, principal }, app) =>
    serializeUpdate(await postUpdate(app, named(params, principal), body)),
})

const edit = route({
  method: 'PUT',
  path: `${one}/updates/:updateId`,
  access: 'READ_WRITE',
  tag,
  summary: 'Correct an update',
  params: UpdateId,
  body: MaintenanceUpdateChanges,
  ignores: ignoredOfUpdates,
  status: 200,
  response: MaintenanceUpdate,
  example: { params: updateExample, body: { description: 'We have begun.' }, response: exampleUpdate },
  handle: async ({ params, body, principal }, app) =>
    serializeUpdate(await editUpdate(app, { ...named(params, principal), updateId: params.updateId }, body)),
})

const removeOne = route({
  method: 'DELETE',
  path: `${one}/updates/:updateId`,
  access: 'READ_WRITE',
  tag,
  summary: 'Remove an update, and with it the status it set',
  params: UpdateId,
  status: 204,
  example: { params: updateExample },
  handle: async ({ params, principal }, app) => {
    await removeUpdate(app, { ...named(params, principal), updateId: params.updateId })
  },
})

export { list as listMaintenances, read as readMaintenance }

export const maintenanceRoutes: Route[] = [list, read, move, remove, post, edit, removeOne]
