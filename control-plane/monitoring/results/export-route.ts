/** The results of a check as a file: read page by page while it is sent, so that it takes no more memory than a page. */
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import { longRead } from '../../platform/long-reads/long-read.ts'
import type { HasArtifacts } from '../../platform/store/artifact-store/store.ts'
import { csvLine } from '../../platform/web/http/answers/csv-line.ts'
import { sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import { reply, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { parseInstant, toIso } from '../../platform/words/shapes/instants.ts'
import { findCheck } from '../definitions/checks/queries.ts'
import { listResults, type ResultCursor } from './queries.ts'
import { resultDoc } from './result-doc.ts'
import { resultFilters } from './result-filters.ts'
import type { ResultWithDoc } from './stored/result.ts'

const perPage = 500
/** A check of three locations and ten seconds has as many in six weeks. */
const mostRows = 1_000_000

const columns = [
  ...['id', 'startedAt', 'stoppedAt', 'runLocation', 'outcome', 'responseTimeMs', 'attempts', 'resultType'],
  ...['sequenceId', 'error'],
] as const

export const exportResults = route({
  method: 'GET',
  path: '/v1/exports/check-results/:checkId',
  access: 'READ_ONLY',
  tag: 'Check results',
  summary: 'Results of a check as CSV, newest first',
  description: `All that the filters find, up to ${mostRows.toLocaleString('en')}, sent while they are read. \`outcome\`: passed, degraded, failed, error or cancelled. What would begin like a formula has an apostrophe before it.`,
  params: Type.Object({ checkId: Type.String({ format: 'uuid' }) }),
  query: Type.Object(resultFilters, { additionalProperties: false }),
  status: 200,
  response: sentAsIs(Type.String({ contentMediaType: 'text/csv' })),
  responseType: 'text/csv',
  rateLimit: { requests: 10, seconds: 60 },
  example: {
    params: { checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11' },
    query: { hasFailures: true, from: '1767225600' },
  },
  handle: async ({ params, query, principal, signal }, app: App & HasArtifacts) => {
    const { accountId } = principal
    const check = await app.db.get(findCheck, { id: params.checkId, accountId })
    if (!check) throw notFound()
    const { from, to, checkType, ...filters } = query
    const filter = {
      ...{ accountId, checkId: params.checkId, ...filters },
      ...(from === undefined ? {} : { from: parseInstant('from', from) }),
      ...(to === undefined ? {} : { to: parseInstant('to', to) }),
    }
    const isAsked = checkType === undefined || checkType === check.type
    const read = (after: ResultCursor | undefined): Promise<ResultWithDoc[]> =>
      longRead(app, { accountId, signal }, (reading) =>
        listResults(
          { db: app.db, reading },
          { ...filter, ...(after === undefined ? {} : { after }) },
          perPage,
        ),
      )
    return reply(Readable.from(lines(isAsked ? await read(undefined) : [], read)), {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="results-${params.checkId}.csv"`,
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
      },
    })
  },
})

/** `first` is read before the answer begins: what is refused is refused by its status. */
async function* lines(
  first: readonly ResultWithDoc[],
  read: (after: ResultCursor) => Promise<ResultWithDoc[]>,
): AsyncGenerator<string> {
  yield csvLine(columns)
  let rows = first
  for (let sent = 0; rows.length > 0; ) {
    yield rows.map((row) => csvLine(cellsOf(row))).join('')
    sent += rows.length
    const last = rows.at(-1)
    if (last === undefined || rows.length < perPage || sent >= mostRows) return
    rows = await read([last.started_at, last.id])
  }
}

const cellsOf = (row: ResultWithDoc): readonly unknown[] => [
  ...[row.id, toIso(row.started_at), toIso(row.stopped_at), row.location, outcomeOf(row)],
  ...[row.has_errors || row.is_cancelled ? '' : row.response_time, row.attempts, row.result_type],
  ...[row.sequence_id, resultDoc.read(row.doc).error ?? ''],
]

const outcomeOf = (row: ResultWithDoc): string => {
  if (row.is_cancelled) return 'cancelled'
  if (row.has_errors) return 'error'
  if (row.has_failures) return 'failed'
  return row.is_degraded ? 'degraded' : 'passed'
}
