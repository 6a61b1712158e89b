import { Type } from 'typebox'
import type { CheckStatusesTable } from '../../../platform/store/database/tables/statuses.ts'
import { offsetOf, pageReply } from '../../../platform/web/http/answers/offset-page.ts'
import { type Route, route } from '../../../platform/web/http/route.ts'
import { notFound } from '../../../platform/words/errors.ts'
import { toIso, toIsoOrNull } from '../../../platform/words/shapes/instants.ts'
import { countStatuses, findStatus, listStatuses, pageOfStatuses } from './queries.ts'
import { CheckStatus } from './schema.ts'

const tag = 'Check statuses'
const longestPage = 1000
const checkId = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'

const example: CheckStatus = {
  name: 'Home page',
  checkId,
  state: 'passing',
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  longestRun: 412,
  shortestRun: 38.5,
  lastRunLocation: 'local',
  lastCheckRunId: '1767225600000',
  sslDaysRemaining: 61,
  staleSince: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-02T00:00:00.000Z',
}

const list = route({
  method: 'GET',
  path: '/v1/check-statuses',
  access: 'READ_ONLY',
  tag,
  summary: 'The latest verdict on every check that was due',
  description:
    'All of them, oldest check first. With `limit` or `page` a part of them: of an account with thousands of checks, take it in parts.',
  query: Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: longestPage,
          description: 'Items per page; 1000 where only `page` is given',
        }),
      ),
      page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Page, from 1' })),
    },
    { additionalProperties: false },
  ),
  status: 200,
  response: Type.Array(CheckStatus),
  example: { response: [example] },
  handle: async ({ principal: { accountId }, query }, app) => {
    if (query.limit === undefined && query.page === undefined)
      return (await app.db.all(listStatuses, { accountId })).map(present)
    const page = { limit: query.limit ?? longestPage, page: query.page ?? 1 }
    const rows = await app.db.all(pageOfStatuses, { accountId, limit: page.limit, offset: offsetOf(page) })
    const total = (await app.db.get(countStatuses, { accountId }))?.total ?? 0
    const url = `${app.config.baseUrl}/v1/check-statuses`
    return pageReply({ items: rows.map(present), total, url, query: page })
  },
})

const read = route({
  method: 'GET',
  path: '/v1/check-statuses/:checkId',
  access: 'READ_ONLY',
  tag,
  summary: 'The latest verdict on one check',
  description: 'A check that was not due yet has no status: 404.',
  params: Type.Object({ checkId: Type.String({ format: 'uuid' }) }),
  status: 200,
  response: CheckStatus,
  example: { params: { checkId }, response: example },
  handle: async ({ params, principal }, app) => {
    const row = await app.db.get(findStatus, { accountId: principal.accountId, checkId: params.checkId })
    if (!row) throw notFound()
    return present(row)
  },
})

type Row = Omit<CheckStatusesTable, 'account_id' | 'last_started_at'> & { name: string }

const present = (row: Row): CheckStatus => ({
  name: row.name,
  checkId: row.check_id,
  state: row.state as CheckStatus['state'],
  hasFailures: row.has_failures,
  hasErrors: row.has_errors,
  isDegraded: row.is_degraded,
  longestRun: row.longest_run,
  shortestRun: row.shortest_run,
  lastRunLocation: row.last_run_location,
  lastCheckRunId: row.last_check_run_id === null ? null : String(row.last_check_run_id),
  sslDaysRemaining: row.ssl_days_remaining,
  staleSince: toIsoOrNull(row.stale_since),
  created_at: toIso(row.created_at),
  updated_at: toIsoOrNull(row.updated_at),
})

export { read as readCheckStatus }

export const checkStatusRoutes: Route[] = [list, read]
