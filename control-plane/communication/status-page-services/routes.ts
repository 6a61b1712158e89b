import { Type } from 'typebox'
import type { HasUsers } from '../../access/snippets/require-unused.ts'
import type { App } from '../../platform/app/app.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { cursorPage, cursorParameters, positionOf } from '../../platform/words/shapes/cursor.ts'
import { always, recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { translationsDoc } from '../stored-pages/translations.ts'
import { findService, insertService, listServices, renameService } from './queries.ts'
import { removeService } from './remove-service.ts'
import { exampleService, NewService, Service, ServiceId, ServicePage, serializeService } from './schema.ts'

const ignored = [...recordNames, ...always('accountId')]

const tag = 'Status page services'
const exampleNewService = { name: exampleService.name, translations: exampleService.translations }
const oneExample = { serviceId: exampleService.id }

const list = route({
  method: 'GET',
  path: '/v1/status-pages/services',
  access: 'READ_ONLY',
  tag,
  summary: 'List services, oldest first',
  description: 'With `paginated=false` the answer is a plain list of all.',
  query: Type.Object(
    { ...cursorParameters, paginated: Type.Boolean({ default: true }) },
    { additionalProperties: false },
  ),
  status: 200,
  response: Type.Union([ServicePage, Type.Array(Service)]),
  example: { query: { limit: 20 }, response: { length: 1, entries: [exampleService], nextId: null } },
  handle: async ({ query: { limit, nextId, paginated }, principal: { accountId } }, app) => {
    if (!paginated) return (await listServices(app.db, accountId, {})).map(serializeService)
    const found = await listServices(app.db, accountId, { after: positionOf(nextId), limit: limit + 1 })
    const page = cursorPage(found, limit)
    return { length: page.rows.length, entries: page.rows.map(serializeService), nextId: page.nextId }
  },
})

const create = route({
  method: 'POST',
  path: '/v1/status-pages/services',
  access: 'READ_WRITE',
  tag,
  summary: 'Create a service',
  body: NewService,
  ignores: ignored,
  status: 201,
  response: Service,
  example: { body: exampleNewService, response: exampleService },
  handle: async ({ body, principal }, app) => {
    const row = {
      id: app.newId(),
      account_id: principal.accountId,
      name: body.name,
      translations: translationsDoc.write(body.translations ?? {}),
      created_at: app.clock.now(),
      updated_at: null,
    }
    await app.db.run(insertService, row)
    return serializeService(row)
  },
})

const read = route({
  method: 'GET',
  path: '/v1/status-pages/services/:serviceId',
  access: 'READ_ONLY',
  tag,
  summary: 'One service',
  params: ServiceId,
  status: 200,
  response: Service,
  example: { params: oneExample, response: exampleService },
  handle: async ({ params, principal: { accountId } }, app) => {
    const row = await app.db.get(findService, { id: params.serviceId, accountId })
    if (!row) throw notFound()
    return serializeService(row)
  },
})

const update = route({
  method: 'PUT',
  path: '/v1/status-pages/services/:serviceId',
  access: 'READ_WRITE',
  tag,
  summary: 'Rename a service',
  params: ServiceId,
  body: NewService,
  ignores: ignored,
  status: 200,
  response: Service,
  example: { params: oneExample, body: exampleNewService, response: exampleService },
  handle: async ({ params, body, principal: { accountId } }, app) => {
    const change = {
      ...{ id: params.serviceId, accountId, name: body.name, now: app.clock.now() },
      translations: body.translations === undefined ? null : translationsDoc.write(body.translations),
    }
    const row = await app.db.get(renameService, change)
    if (!row) throw notFound()
    return serializeService(row)
  },
})

const remove = route({
  method: 'DELETE',
  path: '/v1/status-pages/services/:serviceId',
  access: 'READ_WRITE',
  tag,
  summary: 'Delete a service',
  description:
    'It leaves cards, incidents and maintenance windows; an incident without services stays. Refused while a check opens ' +
    'its incidents on it.',
  params: ServiceId,
  status: 204,
  otherStatuses: { 409: "A check's `triggerIncident` names it" },
  example: { params: oneExample },
  handle: async ({ params, principal }, app: App & HasUsers) => {
    await removeService(app, params.serviceId, principal.accountId)
  },
})

export { list as listServices, read as readService }

export const statusPageServiceRoutes: Route<App & HasUsers>[] = [list, create, read, update, remove]
