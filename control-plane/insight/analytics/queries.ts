/** All SQL of analytics and reporting: results as samples, in slices, so that memory and pauses are bounded. */
import { sql } from 'kysely'
import { failingResults } from '../../monitoring/check-results/failing-results.ts'
import type { Db } from '../../platform/database/db.ts'
import { type Builder, type OrderedList, type Slice, selectSlice } from '../../platform/database/slices.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { eachSlice, type ListSource } from '../../platform/long-reads/read-slices.ts'
import type { Sample } from './sample.ts'

/** Results that one request may read in all. */
export const maxResults = 1_000_000

/** Of a check that is known to be the account's: the index has no accounts, and nothing else is read where no part is. */
export type SampleFilter = {
  checkId: string
  from: number
  to: number
  status: 'success' | 'failure' | null
  /** Parts of the results' documents to read, as dotted paths. */
  parts: readonly string[]
}

type Row = {
  started_at: number
  location: string
  response_time: number
  has_failures: boolean
  attempts: number
} & { [part: `part${number}`]: string | number | null }

type Direction = OrderedList<'results'>['direction']

const resultsOf = (
  { checkId, from, to, status }: SampleFilter,
  direction: Direction,
): OrderedList<'results'> => ({
  table: 'results',
  index: status === 'failure' ? 'results_failing' : 'results_check',
  owner: ['check_id', checkId],
  at: 'started_at',
  direction,
  from,
  to,
  ...(status === 'failure' ? { only: failingResults } : {}),
})

/** FINAL results that were judged: failures of the service itself and cancelled runs say nothing about the target. */
type SampleSlice = Slice & { direction: Direction }

const judged = (builder: Builder, filter: SampleFilter, slice: SampleSlice) => {
  const rows = selectSlice(builder, resultsOf(filter, slice.direction), slice)
    .where('result_type', '=', 'FINAL')
    .where('has_errors', '=', false)
    .where('is_cancelled', '=', false)
  return filter.status === null ? rows : rows.where('has_failures', '=', filter.status === 'failure')
}

type SlicePart = { slice: SampleSlice; page?: { limit: number; offset: number } }

const readRows = (db: Db, filter: SampleFilter, { slice, page }: SlicePart): Promise<Row[]> =>
  db.select<Row>((k, engine) => {
    const rows = judged({ k, engine }, filter, slice)
      .select(['started_at', 'location', 'response_time', 'has_failures', 'attempts'])
      .select(filter.parts.map((path, n) => engine.jsonPart(sql.ref('doc'), path).as(`part${n}`)))
    return page === undefined ? rows : rows.limit(page.limit).offset(page.offset)
  })

const countRows = async (db: Db, filter: SampleFilter, slice: SampleSlice): Promise<number> => {
  const [row] = await db.select((k, engine) =>
    judged({ k, engine }, filter, slice)
      .clearOrderBy()
      .select((at) => at.fn.countAll<number>().as('total')),
  )
  return row?.total ?? 0
}

/** How many more results may be read: shared by all the reads of one request. */
export type Budget = { left: number }
export const newBudget = (): Budget => ({ left: maxResults })

/** What a request reads samples with. */
export type SampleSource = ListSource & { budget: Budget }

const charge = (budget: Budget, count: number): void => {
  budget.left -= count
  if (budget.left < 0)
    throw new ApiError(
      400,
      `The window holds more than ${maxResults} results: ask for a shorter one or fewer checks`,
    )
}

/**
 * Every sample of the window in the order of time, to `each`. Other work gets its turn between slices.
 * @throws ApiError 400 when the budget is used up
 */
export const eachSample = (
  source: SampleSource,
  filter: SampleFilter,
  each: (sample: Sample) => void,
): Promise<void> =>
  eachSlice(source, resultsOf(filter, 'oldest-first'), {
    read: async (slice) => {
      const rows = await readRows(source.db, filter, { slice: { ...slice, direction: 'oldest-first' } })
      charge(source.budget, rows.length)
      for (const row of rows) each(sampleOf(row, filter.parts))
      return true
    },
  })

/** One page of samples, the first page with the newest, each in the order of time. */
export const pageOfSamples = async (
  source: ListSource,
  filter: SampleFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<Sample[]> => {
  const samples: Sample[] = []
  let skip = offset
  await eachSlice(source, resultsOf(filter, 'newest-first'), {
    read: async (ends) => {
      const slice = { ...ends, direction: 'newest-first' as const }
      const count = skip === 0 ? 0 : await countRows(source.db, filter, slice)
      if (skip > 0 && count <= skip) {
        skip -= count
        return true
      }
      const page = { limit: limit - samples.length, offset: skip }
      skip = 0
      const rows = await readRows(source.db, filter, { slice, page })
      samples.push(...rows.map((row) => sampleOf(row, filter.parts)))
      return samples.length < limit
    },
  })
  return samples.reverse()
}

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
