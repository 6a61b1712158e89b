import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { DashboardsTable } from '../../platform/store/database/tables/dashboards.ts'
import { offsetOf, pageParameters, pageReply } from '../../platform/web/http/answers/offset-page.ts'
import { changedMeanwhile, entityTag, ifMatchHeader } from '../../platform/web/http/request/entity-tag.ts'
import { type Reply, type Route, reply, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { always, recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { recordsOf } from '../status-pages/domain-proof.ts'
import { isDomainProven } from './dashboard-domain.ts'
import { countDashboards, findDashboard, findDashboardByName, listDashboards } from './queries.ts'
import { changeDashboard, createDashboard, removeDashboard, type SavedDashboard } from './save-dashboard.ts'
import { Dashboard, DashboardChanges, dashboardDoc, exampleDashboard, NewDashboard } from './schema.ts'

const tag = 'Dashboards'
const ignored = [...recordNames, ...always('dashboardId', 'keys', 'domain')]
const taken = { 409: 'Another page has the `customUrl` or `customDomain`, or the account has too many' }
const DashboardId = Type.Object({ dashboardId: Type.String({ format: 'uuid' }) })
const oneExample = { dashboardId: exampleDashboard.dashboardId }

const present = (app: App, row: DashboardsTable, rawKey: string | null): Dashboard => ({
  ...dashboardDoc.read(row.doc),
  id: row.id,
  dashboardId: row.dashboard_id,
  customUrl: row.custom_url,
  customDomain: row.custom_domain,
  keys:
    row.key_id === null || row.key_created_at === null
      ? []
      : [
          {
            id: row.key_id,
            maskedKey: row.key_masked ?? '',
            ...(rawKey === null ? {} : { rawKey }),
            created_at: toIso(row.key_created_at),
            updated_at: null,
          },
        ],
  domain:
    row.custom_domain === null
      ? null
      : {
          name: row.custom_domain,
          isProven: isDomainProven(row, app.clock.now()),
          checkedAt: toIsoOrNull(row.domain_checked_at),
          records: recordsOf({ id: row.dashboard_id }, row.custom_domain, app.config.baseUrl),
        },
  created_at: toIso(row.created_at),
  updated_at: toIsoOrNull(row.updated_at),
})

const tagged = (app: App, { row, rawKey }: SavedDashboard): Reply<Dashboard> =>
  reply(present(app, row, rawKey), { headers: { etag: entityTag(row.version) } })

const list = route({
  method: 'GET',
  path: '/v1/dashboards',
  access: 'READ_ONLY',
  tag,
  summary: 'List dashboards, oldest first',
  query: Type.Object(pageParameters, { additionalProperties: false }),
  status: 200,
  response: Type.Array(Dashboard),
  example: { query: { limit: 20 }, response: [exampleDashboard] },
  handle: async ({ query, principal: { accountId } }, app) => {
    const total = await countDashboards(app.db, accountId)
    const rows = await app.db.all(listDashboards, { accountId, limit: query.limit, offset: offsetOf(query) })
    const items = rows.map((row) => present(app, row, null))
    return pageReply({ items, total, url: `${app.config.baseUrl}/v1/dashboards`, query })
  },
})

const create = route({
  method: 'POST',
  path: '/v1/dashboards',
  access: 'READ_WRITE',
  tag,
  summary: 'Create a dashboard',
  description: 'The answer shows the key of a private one in `keys`, this once.',
  body: NewDashboard,
  ignores: ignored,
  status: 201,
  otherStatuses: taken,
  response: Dashboard,
  example: { body: { header: 'Shop', customUrl: 'shop', tags: ['shop'] }, response: exampleDashboard },
  handle: async ({ body, principal: { accountId } }, app: App & HasRandomBytes) =>
    tagged(app, await createDashboard(app, accountId, body)),
})

const read = route({
  method: 'GET',
  path: '/v1/dashboards/:dashboardId',
  access: 'READ_ONLY',
  tag,
  summary: 'One dashboard',
  description: 'By its id, or with `type` by its address.',
  params: Type.Object({ dashboardId: Type.String({ minLength: 1, maxLength: 253 }) }),
  query: Type.Object(
    { type: Type.Optional(Type.Enum(['customUrl', 'customDomain'])) },
    { additionalProperties: false },
  ),
  status: 200,
  response: Dashboard,
  rateLimit: { requests: 60, seconds: 20 },
  example: { params: oneExample, response: exampleDashboard },
  handle: async ({ params: { dashboardId }, query: { type }, principal: { accountId } }, app) => {
    const name = dashboardId.toLowerCase()
    const kind = type === 'customUrl' ? 'DASHBOARD' : 'DOMAIN'
    const row =
      type === undefined
        ? await app.db.get(findDashboard, { dashboardId: name, accountId })
        : await app.db.get(findDashboardByName, { kind, name })
    if (row?.account_id !== accountId) throw notFound()
    return tagged(app, { row, rawKey: null })
  },
})

const update = route({
  method: 'PUT',
  path: '/v1/dashboards/:dashboardId',
  access: 'READ_WRITE',
  tag,
  summary: 'Change a dashboard',
  description:
    'Only what is sent changes. Switching `isPrivate` on generates a key, which the answer shows in `keys`, this once.',
  params: DashboardId,
  requestHeaders: ifMatchHeader,
  body: DashboardChanges,
  whole: NewDashboard,
  ignores: ignored,
  status: 200,
  otherStatuses: { ...taken, ...changedMeanwhile },
  response: Dashboard,
  example: { params: oneExample, body: { sortByStatus: true }, response: exampleDashboard },
  handle: async (
    { params: { dashboardId }, body: changes, headers, principal: { accountId } },
    app: App & HasRandomBytes,
  ) =>
    tagged(
      app,
      await changeDashboard(app, { dashboardId, accountId, changes, ifMatch: headers['if-match'] }),
    ),
})

const remove = route({
  method: 'DELETE',
  path: '/v1/dashboards/:dashboardId',
  access: 'READ_WRITE',
  tag,
  summary: 'Delete a dashboard with its incidents',
  params: DashboardId,
  status: 204,
  example: { params: oneExample },
  handle: async ({ params: { dashboardId }, principal: { accountId } }, app) => {
    await removeDashboard(app, { dashboardId, accountId })
  },
})

export { list as listDashboards }

export const dashboardRoutes: Route<App & HasRandomBytes>[] = [list, create, read, update, remove]
