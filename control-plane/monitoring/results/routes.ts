import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import { longRead } from '../../platform/long-reads/long-read.ts'
import type { HasArtifacts } from '../../platform/store/artifact-store/store.ts'
import type { ChecksTable } from '../../platform/store/database/tables/runs.ts'
import { offsetOf, pageParameters, pageReply } from '../../platform/web/http/answers/offset-page.ts'
import { sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import { recentWindow } from '../../platform/web/http/request/recent-window.ts'
import { type Route, reply, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { cursorOf } from '../../platform/words/shapes/cursor.ts'
import { parseInstant } from '../../platform/words/shapes/instants.ts'
import { findCheck } from '../definitions/checks/queries.ts'
import { AssetManifest, AssetQuery, readAssets } from './assets.ts'
import { exportResults } from './export-route.ts'
import { findResult, listResults, listResultsPage, type ResultCursor } from './queries.ts'
import { resultFilters } from './result-filters.ts'
import { CheckResult, CheckResultPage } from './schema.ts'
import { serializeResults } from './serialize-results.ts'
import { serveAsset } from './serve-asset.ts'
import type { ResultWithDoc } from './stored/result.ts'
import { FieldsParameter, fieldsIn, trimResults } from './trim-results.ts'

const cursor = cursorOf(
  Type.Tuple([
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    Type.String({ maxLength: 64 }),
  ]),
)

const exampleCheck = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'

const list = route({
  method: 'GET',
  path: '/v2/check-results/:checkId',
  access: 'READ_ONLY',
  tag: 'Check results',
  mayLag: true,
  summary: 'Results of a check, newest first',
  params: Type.Object({ checkId: Type.String({ format: 'uuid' }) }),
  query: Type.Object(
    {
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
      nextId: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
      ...resultFilters,
      fields: FieldsParameter,
    },
    { additionalProperties: false },
  ),
  status: 200,
  response: CheckResultPage,
  example: {
    params: { checkId: exampleCheck },
    query: { limit: 2, hasFailures: true, from: '1767225600' },
  },
  handle: async ({ params, query, principal, signal }, app) => {
    const { accountId } = principal
    const { limit, nextId, from, to, checkType, fields: parameter, ...filters } = query
    const fields = fieldsIn(parameter)
    const filter = {
      accountId,
      checkId: params.checkId,
      ...filters,
      ...(from === undefined ? {} : { from: parseInstant('from', from) }),
      ...(to === undefined ? {} : { to: parseInstant('to', to) }),
      ...(nextId === undefined ? {} : { after: cursor.decode(nextId) as ResultCursor }),
    }
    const check = await requireCheck(app, accountId, params.checkId)
    const rows = isOfType(check, checkType)
      ? await longRead(app, { accountId, signal }, (reading) =>
          listResults({ db: app.db, reading }, filter, limit + 1),
        )
      : []
    const entries = await serializeResults(app, rows.slice(0, limit))
    const last = rows.length > limit ? rows[limit - 1] : undefined
    const page = {
      length: entries.length,
      entries: trimResults(entries, fields),
      nextId: last === undefined ? null : cursor.encode([last.started_at, last.id]),
    }
    return reply(page, { trimmed: fields !== undefined })
  },
})

const sixHoursMs = 6 * 3_600_000

const listPaged = route({
  method: 'GET',
  path: '/v1/check-results/:checkId',
  access: 'READ_ONLY',
  tag: 'Check results',
  mayLag: true,
  summary: 'Results of a check within six hours, newest first, by pages',
  description: 'The window of `from` and `to` is six hours at most, and the last six hours when left out.',
  params: Type.Object({ checkId: Type.String({ format: 'uuid' }) }),
  query: Type.Object(
    { ...pageParameters, ...resultFilters, fields: FieldsParameter },
    { additionalProperties: false },
  ),
  status: 200,
  response: Type.Array(CheckResult),
  deprecated: true,
  example: { params: { checkId: exampleCheck }, query: { limit: 20 } },
  handle: async ({ params, query, principal, signal }, app) => {
    const { accountId } = principal
    const { limit, page, from, to, checkType, fields: parameter, ...filters } = query
    const fields = fieldsIn(parameter)
    const bounds = { now: app.clock.now(), maxMs: sixHoursMs }
    const within = recentWindow({ ...(from && { from }), ...(to && { to }) }, bounds)
    const check = await requireCheck(app, accountId, params.checkId)
    const filter = { accountId, checkId: params.checkId, ...filters, ...within }
    const { rows, total } = isOfType(check, checkType)
      ? await longRead(app, { accountId, signal }, (reading) =>
          listResultsPage({ db: app.db, reading }, filter, { limit, offset: offsetOf({ limit, page }) }),
        )
      : { rows: [], total: 0 }
    const url = `${app.config.baseUrl}/v1/check-results/${params.checkId}`
    const items = trimResults(await serializeResults(app, rows), fields)
    return { ...pageReply({ items, total, url, query }), trimmed: fields !== undefined }
  },
})

const OneResult = Type.Object({
  checkId: Type.String({ format: 'uuid' }),
  checkResultId: Type.String({ format: 'uuid' }),
})
const exampleResult = { checkId: exampleCheck, checkResultId: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10' }

const read = route({
  method: 'GET',
  path: '/v1/check-results/:checkId/:checkResultId',
  access: 'READ_ONLY',
  tag: 'Check results',
  summary: 'One result',
  params: OneResult,
  status: 200,
  response: CheckResult,
  example: { params: exampleResult },
  handle: async ({ params, principal }, app: App & HasArtifacts) => {
    const row = await requireResult(app, principal.accountId, params)
    const [result] = await serializeResults(app, [row])
    return result as CheckResult
  },
})

const assets = route({
  method: 'GET',
  path: '/v1/check-results/:checkId/:checkResultId/assets',
  access: 'READ_ONLY',
  tag: 'Check results',
  summary: 'The files of a result',
  params: OneResult,
  query: AssetQuery,
  status: 200,
  response: AssetManifest,
  example: { params: exampleResult, query: { name: '*.pcap' } },
  handle: async ({ params, query, principal }, app: App & HasArtifacts) => {
    const result = await requireResult(app, principal.accountId, params)
    return readAssets(app, result, { filter: query })
  },
})

const asset = route({
  method: 'GET',
  path: '/v1/check-results/:checkId/:checkResultId/assets/:name',
  access: 'READ_ONLY',
  tag: 'Check results',
  summary: 'One file of a result',
  description:
    'Its bytes as they were stored, always as an attachment of type `application/octet-stream`: the manifest says what ' +
    'it is. `ETag` is its SHA-256.',
  params: Type.Object({ ...OneResult.properties, name: Type.String({ minLength: 1, maxLength: 200 }) }),
  requestHeaders: {
    range: 'A range of bytes, such as `bytes=0-1023`',
    'if-range': 'The `ETag` of which `Range` is a part',
    'if-none-match': 'The `ETag` that the client has: the same one is answered with 304',
  },
  status: 200,
  otherStatuses: {
    206: 'The range that was asked for',
    304: 'The client has the file already',
    416: 'The range is outside of the file',
  },
  response: sentAsIs(Type.String({ contentMediaType: 'application/octet-stream' })),
  responseType: 'application/octet-stream',
  example: { params: { ...exampleResult, name: 'first-attempt.pcap' } },
  handle: async ({ params, headers, principal }, app: App & HasArtifacts) => {
    const { id: resultId } = await requireResult(app, principal.accountId, params)
    return serveAsset(app, { resultId, name: params.name, headers })
  },
})

const requireCheck = async (app: App, accountId: string, id: string): Promise<Pick<ChecksTable, 'type'>> => {
  const check = await app.db.get(findCheck, { id, accountId })
  if (!check) throw notFound()
  return check
}

/** A check has one type for ever, and so have its results: those of another type need not be looked for. */
const isOfType = ({ type }: Pick<ChecksTable, 'type'>, wanted: string | undefined): boolean =>
  wanted === undefined || wanted === type

const requireResult = async (
  app: App & HasArtifacts,
  accountId: string,
  { checkId, checkResultId: id }: { checkId: string; checkResultId: string },
): Promise<ResultWithDoc> => {
  const row = await findResult(app.db, { id, checkId, accountId })
  if (!row) throw notFound()
  return row
}

export { list as listCheckResults, read as readCheckResult }

export const checkResultRoutes: Route<App & HasArtifacts>[] = [
  list,
  listPaged,
  exportResults,
  read,
  assets,
  asset,
]
