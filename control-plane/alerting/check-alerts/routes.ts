import { Type } from 'typebox'
import { exampleType } from '../../../protocol/check-type.ts'
import type { App } from '../../platform/app/app.ts'
import { type Asker, longRead } from '../../platform/long-reads/long-read.ts'
import type { CheckAlertsTable } from '../../platform/store/database/tables/alert-channels.ts'
import {
  offsetOf,
  type Page,
  pageParameters,
  pageReply,
} from '../../platform/web/http/answers/offset-page.ts'
import { recentWindow, recentWindowParameters } from '../../platform/web/http/request/recent-window.ts'
import { type Reply, type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import type { LocationProblem } from '../messages/location-problem.ts'
import { checkAlertDoc } from './check-alert-doc.ts'
import { checkExists, listCheckAlerts } from './queries.ts'
import { CheckAlert, shownResponse } from './schema.ts'

const tag = 'Check alerts'
const description = 'Newest first. `from` and `to` are at most 6 hours apart; the last 6 hours when left out.'
const maxMs = 6 * 60 * 60 * 1000

const Query = Type.Object({ ...pageParameters, ...recentWindowParameters }, { additionalProperties: false })

const example = {
  id: '3f1e8f0b-8f0b-4c55-9a3e-2a3d1d2f4b11',
  name: 'Home page',
  checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
  checkType: exampleType,
  location: null,
  group: null,
  runLocation: 'eu-west-1',
  alertType: 'ALERT_FAILURE',
  responseTime: 214,
  error: null,
  statusCode: '503',
  created_at: '2026-01-01T00:00:10.000Z',
  startedAt: '2026-01-01T00:00:09.000Z',
  response: null,
  keptBack: null,
}

const present = (row: CheckAlertsTable): CheckAlert => {
  const { response, keptBack, ...doc } = checkAlertDoc.read(row.doc)
  return {
    ...{ ...doc, ...serializeRow(row), response: response ? shownResponse(response) : null },
    keptBack: keptBack ? { ...keptBack, from: toIso(keptBack.from), to: toIso(keptBack.to) } : null,
  }
}

const serializeRow = (row: CheckAlertsTable) => ({
  id: row.id,
  name: row.name,
  checkId: row.problem === null ? row.check_id : null,
  checkType: row.check_type as CheckAlert['checkType'],
  group: row.problem === 'GROUP' ? { id: Number(row.check_id.slice('group:'.length)), name: row.name } : null,
  location:
    row.problem === null || row.problem === 'GROUP'
      ? null
      : { id: row.check_id, name: row.name, problem: row.problem as LocationProblem },
  alertType: row.alert_type as CheckAlert['alertType'],
  created_at: toIso(row.created_at),
  startedAt: toIso(row.started_at),
})

type AlertPageRequest = {
  asker: Asker
  checkId?: string
  path: string
  query: Page & { from?: string; to?: string }
}

const listed = async (
  app: App,
  { asker, checkId, path, query }: AlertPageRequest,
): Promise<Reply<CheckAlert[]>> => {
  const window = recentWindow(query, { now: app.clock.now(), maxMs })
  const filter = { accountId: asker.accountId, ...window, ...(checkId === undefined ? {} : { checkId }) }
  const page = { limit: query.limit, offset: offsetOf(query) }
  const { rows, total } = await longRead(app, asker, (reading) =>
    listCheckAlerts({ db: app.db, reading }, filter, page),
  )
  return pageReply({ items: rows.map(present), total, url: `${app.config.baseUrl}${path}`, query })
}

const listAll = route({
  method: 'GET',
  path: '/v1/check-alerts',
  access: 'READ_ONLY',
  mayLag: true,
  tag,
  summary: 'Alerts of all checks and private locations',
  description,
  query: Query,
  status: 200,
  response: Type.Array(CheckAlert),
  example: { query: { limit: 10 }, response: [example] },
  handle: ({ query, principal: { accountId }, signal }, app) =>
    listed(app, { asker: { accountId, signal }, path: '/v1/check-alerts', query }),
})

const listOfCheck = route({
  method: 'GET',
  path: '/v1/check-alerts/:checkId',
  access: 'READ_ONLY',
  mayLag: true,
  tag,
  summary: 'Alerts of one check',
  description,
  params: Type.Object({ checkId: Type.String({ format: 'uuid' }) }),
  query: Query,
  status: 200,
  response: Type.Array(CheckAlert),
  example: { params: { checkId: example.checkId }, query: { limit: 10 }, response: [example] },
  handle: async ({ params: { checkId }, query, principal: { accountId }, signal }, app) => {
    if (!(await app.db.get(checkExists, { id: checkId, accountId }))) throw notFound()
    return listed(app, { asker: { accountId, signal }, checkId, path: `/v1/check-alerts/${checkId}`, query })
  },
})

export const checkAlertRoutes: Route[] = [listAll, listOfCheck]
