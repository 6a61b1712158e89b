import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { MaintenanceWindowsTable } from '../../platform/store/database/tables/maintenance-windows.ts'
import {
  offsetOf,
  pageParameters,
  pageReply,
  searchParameter,
} from '../../platform/web/http/answers/offset-page.ts'
import { changedMeanwhile, entityTag, ifMatchHeader } from '../../platform/web/http/request/entity-tag.ts'
import { type Reply, type Route, reply, route, warningHeaders } from '../../platform/web/http/route.ts'
import { invalid, notFound, violation } from '../../platform/words/errors.ts'
import { recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { DateOrDateTime, readInstant } from '../../platform/words/shapes/instants.ts'
import { exampleNewWindow, exampleWindow } from './examples.ts'
import { maintenanceRoutes } from './maintenance-routes.ts'
import { type Constraint, countWindows, findWindow, listWindows } from './queries.ts'
import { changeWindow, createWindow, removeWindow } from './save-window.ts'
import { MaintenanceWindow, MaintenanceWindowChanges, NewMaintenanceWindow, WindowId } from './schema.ts'
import { serializeWindow } from './serialize-window.ts'
import { windowWarnings } from './window-warnings.ts'

const tag = 'Maintenance windows'

const operators = ['gt', 'gte', 'lt', 'lte'] as const
const constraint = Type.Optional(DateOrDateTime)
/** `startsAt[gte]=2026-01-01`: an object in the query, a member each. */
const constraints = {
  'startsAt[gt]': constraint,
  'startsAt[gte]': constraint,
  'startsAt[lt]': constraint,
  'startsAt[lte]': constraint,
  'endsAt[gt]': constraint,
  'endsAt[gte]': constraint,
  'endsAt[lt]': constraint,
  'endsAt[lte]': constraint,
}

const tagged = (row: MaintenanceWindowsTable): Reply<MaintenanceWindow> =>
  reply(serializeWindow(row), { headers: { etag: entityTag(row.version) } })

/** The answer to a write. */
const written = async (app: App, row: MaintenanceWindowsTable): Promise<Reply<MaintenanceWindow>> => {
  const { body, headers } = tagged(row)
  const warnings = await windowWarnings(app.db, row, app.clock.now())
  if (warnings.length === 0) return reply(body, { headers: headers ?? {} })
  return reply({ ...body, warnings }, { headers: { ...headers, ...warningHeaders(warnings) } })
}

const list = route({
  method: 'GET',
  path: '/v1/maintenance-windows',
  access: 'READ_ONLY',
  tag,
  summary: 'List maintenance windows, oldest first',
  description: 'The constraints compare the first occurrence; all that are given must hold.',
  query: Type.Object(
    { ...pageParameters, ...searchParameter('the name or a tag'), ...constraints },
    { additionalProperties: false },
  ),
  status: 200,
  response: Type.Array(MaintenanceWindow),
  example: { query: { limit: 20, 'startsAt[gte]': '2026-01-01' }, response: [exampleWindow] },
  handle: async ({ query, principal: { accountId } }, app) => {
    const filter = { accountId, constraints: constraintsOf(query), search: query.search }
    const total = await countWindows(app.db, filter)
    const rows = await listWindows(app.db, filter, { limit: query.limit, offset: offsetOf(query) })
    const url = `${app.config.baseUrl}/v1/maintenance-windows`
    return pageReply({ items: rows.map(serializeWindow), total, url, query })
  },
})

type Constraints = Partial<Record<keyof typeof constraints, string>>

const constraintsOf = (query: Constraints): Constraint[] =>
  (['startsAt', 'endsAt'] as const).flatMap((field) =>
    operators.flatMap((operator) => {
      const name = `${field}[${operator}]` as const
      const text = query[name]
      if (text === undefined) return []
      const value = readInstant(text)
      if (value === null) throw invalid([violation(name, 'instant', 'is not a moment from 1970 to 2999')])
      return [{ column: field === 'startsAt' ? 'starts_at' : 'ends_at', operator, value }]
    }),
  )

const create = route({
  method: 'POST',
  path: '/v1/maintenance-windows',
  access: 'READ_WRITE',
  tag,
  summary: 'Create a maintenance window',
  description: 'Where it would do nothing, `warnings` and the header `Watchpost-Warning` say so.',
  body: NewMaintenanceWindow,
  ignores: recordNames,
  status: 201,
  response: MaintenanceWindow,
  example: { body: exampleNewWindow, response: exampleWindow },
  handle: async ({ body, principal }, app) =>
    written(app, await createWindow(app, principal.accountId, body)),
})

const read = route({
  method: 'GET',
  path: '/v1/maintenance-windows/:id',
  access: 'READ_ONLY',
  tag,
  summary: 'One maintenance window',
  params: WindowId,
  status: 200,
  response: MaintenanceWindow,
  example: { params: { id: '7' }, response: exampleWindow },
  handle: async ({ params, principal: { accountId } }, app) => {
    const row = await app.db.get(findWindow, { id: params.id, accountId })
    if (!row) throw notFound()
    return tagged(row)
  },
})

const update = route({
  method: 'PUT',
  path: '/v1/maintenance-windows/:id',
  access: 'READ_WRITE',
  tag,
  summary: 'Change a maintenance window',
  description:
    'Only the fields that are sent change, also within `statusPageVisibility`. A changed repetition holds for all ' +
    'occurrences; what was done to an occurrence that no longer exists is removed.',
  params: WindowId,
  requestHeaders: ifMatchHeader,
  body: MaintenanceWindowChanges,
  ignores: recordNames,
  status: 200,
  otherStatuses: changedMeanwhile,
  response: MaintenanceWindow,
  example: { params: { id: '7' }, body: { name: exampleWindow.name }, response: exampleWindow },
  handle: async ({ params, body, headers, principal: { accountId } }, app) =>
    written(
      app,
      await changeWindow(app, { id: params.id, accountId, changes: body, ifMatch: headers['if-match'] }),
    ),
})

const remove = route({
  method: 'DELETE',
  path: '/v1/maintenance-windows/:id',
  access: 'READ_WRITE',
  tag,
  summary: 'Delete a maintenance window and its occurrences',
  params: WindowId,
  status: 204,
  example: { params: { id: '7' } },
  handle: async ({ params, principal }, app) => {
    await removeWindow(app, params.id, principal.accountId)
  },
})

export { list as listMaintenanceWindows, read as readMaintenanceWindow }

export const maintenanceWindowRoutes: Route[] = [list, create, read, update, remove, ...maintenanceRoutes]
