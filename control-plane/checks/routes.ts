import { Type } from 'typebox'
import { checkTypes } from '../../protocol/check-type.ts'
import { changedMeanwhile, entityTag, ifMatchHeader } from '../http/entity-tag.ts'
import { notFound } from '../http/errors.ts'
import { offsetOf, pageParameters, pageReply } from '../http/page.ts'
import { type Route, reply, route } from '../http/route.ts'
import { dropSchedule } from '../runs/schedule.ts'
import { presentCheck } from './present-check.ts'
import {
  countChecks,
  deleteCheck,
  deleteMissedRunsOfCheck,
  deleteResultsOfCheck,
  findCheck,
  listChecks,
} from './queries.ts'
import { changeCheck, createCheck, type NewCheckDoc } from './save-check.ts'
import { Check, NewUrlMonitor, UrlMonitor, UrlMonitorChanges, type UrlMonitorDoc } from './schema.ts'

const tag = 'Checks'
const CheckId = Type.Object({ id: Type.String({ format: 'uuid' }) })
const id = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'

const AutoAssign = Type.Object({
  autoAssignAlerts: Type.Boolean({
    default: true,
    description: 'Subscribe the check to all existing alert channels',
  }),
})

const exampleRequest = {
  url: 'https://example.com/',
  assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
}

const createUrlMonitor = route({
  method: 'POST',
  path: '/v1/checks/url',
  access: 'READ_WRITE',
  tag,
  summary: 'Create a URL monitor',
  description:
    'It runs at once and then on its slots. A check without any location is kept and runs as soon as it gets one.',
  query: AutoAssign,
  body: NewUrlMonitor,
  status: 201,
  response: UrlMonitor,
  example: { body: { name: 'Home page', request: exampleRequest, locations: ['eu-west-1'], frequency: 5 } },
  handle: async ({ body, principal }, app) => {
    const row = await createCheck(app, principal.accountId, 'URL', body as NewCheckDoc)
    return reply(presentCheck(row), { headers: { etag: entityTag(row.version) } })
  },
})

const updateUrlMonitor = route({
  method: 'PUT',
  path: '/v1/checks/url/:id',
  access: 'READ_WRITE',
  tag,
  summary: 'Change a URL monitor',
  description: 'Only the fields that are sent change.',
  params: CheckId,
  query: AutoAssign,
  requestHeaders: ifMatchHeader,
  body: UrlMonitorChanges,
  status: 200,
  otherStatuses: changedMeanwhile,
  response: UrlMonitor,
  example: { params: { id }, body: { activated: false } },
  handle: async ({ params, body, headers, principal }, app) => {
    const { checkType: _, ...changes } = body
    const row = await changeCheck(app, {
      id: params.id,
      accountId: principal.accountId,
      type: 'URL',
      changes: changes as Partial<UrlMonitorDoc>,
      ifMatch: headers['if-match'],
    })
    return reply(presentCheck(row), { headers: { etag: entityTag(row.version) } })
  },
})

const list = route({
  method: 'GET',
  path: '/v1/checks',
  access: 'READ_ONLY',
  tag,
  summary: 'List checks, oldest first',
  query: Type.Object(
    {
      ...pageParameters,
      checkType: Type.Optional(Type.Enum([...checkTypes])),
      search: Type.Optional(Type.String({ maxLength: 255, description: 'Part of the name, in any case' })),
    },
    { additionalProperties: false },
  ),
  status: 200,
  response: Type.Array(Check),
  example: { query: { limit: 20, search: 'home' } },
  handle: async ({ query, principal }, app) => {
    const { limit, page, ...filters } = query
    const filter = { accountId: principal.accountId, ...filters }
    const total = await countChecks(app.db, filter)
    const rows = await listChecks(app.db, filter, { limit, offset: offsetOf({ limit, page }) })
    return pageReply({ items: rows.map(presentCheck), total, url: `${app.config.baseUrl}/v1/checks`, query })
  },
})

const read = route({
  method: 'GET',
  path: '/v1/checks/:id',
  access: 'READ_ONLY',
  tag,
  summary: 'One check',
  params: CheckId,
  status: 200,
  response: Check,
  example: { params: { id } },
  handle: async ({ params, principal }, app) => {
    const row = await app.db.get(findCheck, { id: params.id, accountId: principal.accountId })
    if (!row) throw notFound()
    return reply(presentCheck(row), { headers: { etag: entityTag(row.version) } })
  },
})

const remove = route({
  method: 'DELETE',
  path: '/v1/checks/:id',
  access: 'READ_WRITE',
  tag,
  summary: 'Delete a check with its results',
  params: CheckId,
  status: 204,
  example: { params: { id } },
  handle: async ({ params, principal }, app) => {
    await app.db.transaction(async (trx) => {
      const deleted = await trx.run(deleteCheck, { id: params.id, accountId: principal.accountId })
      if (deleted === 0) throw notFound()
      await dropSchedule(trx, params.id)
      await trx.run(deleteResultsOfCheck, { checkId: params.id })
      await trx.run(deleteMissedRunsOfCheck, { checkId: params.id })
    })
  },
})

export const checkRoutes: Route[] = [createUrlMonitor, updateUrlMonitor, list, read, remove]
