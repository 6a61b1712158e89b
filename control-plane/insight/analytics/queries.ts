/** All SQL of analytics and reporting: results as samples, in chunks, so that memory and pauses are bounded. */
import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { type Part, partPaths, type Sample } from './sample.ts'

/** Results read at once: a few milliseconds of a synchronous store. */
const chunkSize = 500
/** Results that one request may read in all. */
export const maxResults = 1_000_000

export type SampleFilter = {
  accountId: string
  checkId: string
  from: number
  to: number
  status: 'success' | 'failure' | null
  parts: readonly Part[]
}

type Row = {
  id: string
  started_at: number
  location: string
  response_time: number
  has_failures: boolean
  attempts: number
} & Partial<Record<Part, string | number | null>>

type Place = { startedAt: number; id: string }
type Slice = { after?: Place | undefined; limit: number; offset?: number }

/** FINAL results that were judged: failures of the service itself and cancelled runs say nothing about the target. */
const readRows = (db: Db, filter: SampleFilter, { after, limit, offset }: Slice): Promise<Row[]> =>
  db.select<Row>((k, engine) => {
    let list = k
      .selectFrom('results')
      .select(['id', 'started_at', 'location', 'response_time', 'has_failures', 'attempts'])
      .select(filter.parts.map((part) => engine.jsonPart(sql.ref('doc'), partPaths[part]).as(part)))
      .where('check_id', '=', filter.checkId)
      .where('account_id', '=', filter.accountId)
      .where('result_type', '=', 'FINAL')
      .where('has_errors', '=', false)
      .where('is_cancelled', '=', false)
      .where('started_at', '>=', filter.from)
      .where('started_at', '<', filter.to)
    if (filter.status !== null) list = list.where('has_failures', '=', filter.status === 'failure')
    if (after !== undefined)
      list = list.where((at) => at(at.refTuple('started_at', 'id'), '>', at.tuple(after.startedAt, after.id)))
    list = list.orderBy('started_at').orderBy('id').limit(limit)
    return offset === undefined ? list : list.offset(offset)
  })

/** How many more results may be read: shared by all the reads of one request. */
export type Budget = { left: number }
export const newBudget = (): Budget => ({ left: maxResults })

/**
 * Every sample of the window in the order of time, to `each`. Other work gets its turn between chunks.
 * @throws ApiError 400 when the budget is used up
 */
export const eachSample = async (
  db: Db,
  filter: SampleFilter,
  { budget, each }: { budget: Budget; each: (sample: Sample) => void },
): Promise<void> => {
  let after: Place | undefined
  for (;;) {
    const rows = await readRows(db, filter, { after, limit: chunkSize })
    budget.left -= rows.length
    if (budget.left < 0)
      throw new ApiError(
        400,
        `The window holds more than ${maxResults} results: ask for a shorter one or fewer checks`,
      )
    for (const row of rows) each(sampleOf(row))
    const last = rows.at(-1)
    if (rows.length < chunkSize || last === undefined) return
    after = { startedAt: last.started_at, id: last.id }
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

/** One page of samples in the order of time. */
export const pageOfSamples = async (
  db: Db,
  filter: SampleFilter,
  page: { limit: number; offset: number },
): Promise<Sample[]> => (await readRows(db, filter, page)).map(sampleOf)

const sampleOf = (row: Row): Sample => ({
  startedAt: row.started_at,
  location: row.location,
  passed: !row.has_failures,
  responseTime: row.response_time,
  retries: row.attempts,
  metrics: parsed(row.metrics, {}),
  statusCode: row.statusCode === null || row.statusCode === undefined ? null : String(row.statusCode),
  pages: parsed(row.pages, []),
  traceSummary: parsed(row.traceSummary, {}),
  certificate: parsed(row.certificate, {}),
  state: typeof row.state === 'string' ? row.state : null,
})

const parsed = <T extends object>(text: string | number | null | undefined, otherwise: T): T =>
  typeof text === 'string' ? (JSON.parse(text) as T) : otherwise
