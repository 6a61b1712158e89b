/** All SQL of analytics and reporting: results as samples, in chunks, so that memory and pauses are bounded. */
import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { Sample } from './sample.ts'

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
  /** Parts of the results' documents to read, as dotted paths. */
  parts: readonly string[]
}

type Row = {
  id: string
  started_at: number
  location: string
  response_time: number
  has_failures: boolean
  attempts: number
} & { [part: `part${number}`]: string | number | null }

type ResultPosition = { startedAt: number; id: string }
/** Of all in the order of time, or, with `offset`, of the newest first. */
type Slice = { after?: ResultPosition | undefined; limit: number; offset?: number }

/** FINAL results that were judged: failures of the service itself and cancelled runs say nothing about the target. */
const readRows = (db: Db, filter: SampleFilter, { after, limit, offset }: Slice): Promise<Row[]> =>
  db.select<Row>((k, engine) => {
    let list = k
      .selectFrom('results')
      .select(['id', 'started_at', 'location', 'response_time', 'has_failures', 'attempts'])
      .select(filter.parts.map((path, n) => engine.jsonPart(sql.ref('doc'), path).as(`part${n}`)))
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
    const isPage = offset !== undefined
    const direction = isPage ? 'desc' : 'asc'
    list = list.orderBy('started_at', direction).orderBy('id', direction).limit(limit)
    return isPage ? list.offset(offset) : list
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
  let after: ResultPosition | undefined
  for (;;) {
    const rows = await readRows(db, filter, { after, limit: chunkSize })
    budget.left -= rows.length
    if (budget.left < 0)
      throw new ApiError(
        400,
        `The window holds more than ${maxResults} results: ask for a shorter one or fewer checks`,
      )
    for (const row of rows) each(sampleOf(row, filter.parts))
    const last = rows.at(-1)
    if (rows.length < chunkSize || last === undefined) return
    after = { startedAt: last.started_at, id: last.id }
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

/** One page of samples, the first page with the newest, each in the order of time. */
export const pageOfSamples = async (
  db: Db,
  filter: SampleFilter,
  page: { limit: number; offset: number },
): Promise<Sample[]> => (await readRows(db, filter, page)).reverse().map((row) => sampleOf(row, filter.parts))

const sampleOf = (row: Row, parts: readonly string[]): Sample => ({
  startedAt: row.started_at,
  location: row.location,
  passed: !row.has_failures,
  responseTime: row.response_time,
  retries: row.attempts,
  parts: Object.fromEntries(parts.map((path, n) => [path, parsed(row[`part${n}`])])),
})

/** Objects and lists come as their JSON, all else as it is. */
const parsed = (value: string | number | null | undefined): unknown =>
  typeof value === 'string' && /^[[{]/.test(value) ? JSON.parse(value) : (value ?? null)
