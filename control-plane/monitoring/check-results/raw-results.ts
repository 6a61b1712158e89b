/**
 * The one door to many raw results of a check: what analytics and rollups read of them, in slices, so that memory and pauses
 * are bounded. Only FINAL results that were judged: failures of the service itself and cancelled runs say nothing about the
 * target, and an attempt that was retried is part of the run that follows it.
 */
import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import { query } from '../../platform/database/query.ts'
import {
  type Builder,
  nextSlice,
  type OrderedList,
  type Slice,
  selectSlice,
} from '../../platform/database/slices.ts'
import { eachSlice, type ListSource } from '../../platform/long-reads/read-slices.ts'
import { failingResults } from './failing-results.ts'

export type RawResult = {
  id: string
  startedAt: number
  location: string
  passed: boolean
  responseTime: number
  retries: number
  /** Those parts of its document that were read, by their dotted paths; null where there is nothing. */
  parts: Readonly<Record<string, unknown>>
}

/** Of a check that is known to be the asker's: the index has no accounts, and nothing else is read where no part is. */
export type RawFilter = {
  checkId: string
  /** Of their starts: `from` inclusive, `to` exclusive. */
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

type Direction = OrderedList<'results'>['direction']

const resultsOf = (
  { checkId, from, to, status }: RawFilter,
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

type RawSlice = Slice & { direction: Direction }

const judged = (builder: Builder, filter: RawFilter, slice: RawSlice) => {
  const rows = selectSlice(builder, resultsOf(filter, slice.direction), slice)
    .where('result_type', '=', 'FINAL')
    .where('has_errors', '=', false)
    .where('is_cancelled', '=', false)
  return filter.status === null ? rows : rows.where('has_failures', '=', filter.status === 'failure')
}

const columns = ['id', 'started_at', 'location', 'response_time', 'has_failures', 'attempts'] as const

const partsIn = (engine: Builder['engine'], paths: readonly string[]) =>
  paths.map((path, n) => engine.jsonPart(sql.ref('doc'), path).as(`part${n}`))

type SlicePart = { slice: RawSlice; page?: { limit: number; offset: number } }

const readRows = (db: Db, filter: RawFilter, { slice, page }: SlicePart): Promise<Row[]> =>
  db.select<Row>((k, engine) => {
    const rows = judged({ k, engine }, filter, slice).select(columns).select(partsIn(engine, filter.parts))
    return page === undefined ? rows : rows.limit(page.limit).offset(page.offset)
  })

const countRows = async (db: Db, filter: RawFilter, slice: RawSlice): Promise<number> => {
  const [row] = await db.select((k, engine) =>
    judged({ k, engine }, filter, slice)
      .clearOrderBy()
      .select((at) => at.fn.countAll<number>().as('total')),
  )
  return row?.total ?? 0
}

/** Every one of them in the order of time, to `each`. Other work gets its turn between slices. */
export const eachRawResult = (
  source: ListSource,
  filter: RawFilter,
  each: (result: RawResult) => void,
): Promise<void> =>
  eachSlice(source, resultsOf(filter, 'oldest-first'), {
    read: async (slice) => {
      const rows = await readRows(source.db, filter, { slice: { ...slice, direction: 'oldest-first' } })
      for (const row of rows) each(rawResultOf(row, filter.parts))
      return true
    },
  })

/** One page of them, the first page with the newest, each in the order of time. */
export const pageOfRawResults = async (
  source: ListSource,
  filter: RawFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<RawResult[]> => {
  const results: RawResult[] = []
  let skip = offset
  await eachSlice(source, resultsOf(filter, 'newest-first'), {
    read: async (ends) => {
      const slice = { ...ends, direction: 'newest-first' as const }
      const count = skip === 0 ? 0 : await countRows(source.db, filter, slice)
      if (skip > 0 && count <= skip) {
        skip -= count
        return true
      }
      const page = { limit: limit - results.length, offset: skip }
      skip = 0
      const rows = await readRows(source.db, filter, { slice, page })
      results.push(...rows.map((row) => rawResultOf(row, filter.parts)))
      return results.length < limit
    },
  })
  return results.reverse()
}

/** Whether the check has no more than so many results in the time, of any kind. */
export const hasFewRawResults = async (db: Db, filter: RawFilter, most: number): Promise<boolean> => {
  const list = resultsOf({ ...filter, status: null }, 'oldest-first')
  const { until } = await nextSlice(db, list, { after: null, size: most + 1 })
  return until === null
}

type Named = { ids: readonly string[]; parts: readonly string[] }

/** Those of the named results that count. */
export const namedRawResults = async (db: Db, { ids, parts }: Named): Promise<RawResult[]> => {
  const rows = await db.select<Row>(
    (k, engine) =>
      k
        .selectFrom('results')
        .select(columns)
        .select(partsIn(engine, parts))
        .where('id', 'in', engine.textList(ids))
        .where('result_type', '=', 'FINAL')
        .where('has_errors', '=', false)
        .where('is_cancelled', '=', false) as never,
  )
  return rows.map((row) => rawResultOf(row, parts))
}

/** The start of the oldest result of each check, by the ids of the checks behind `after`; null: it has none. */
export const oldestRawResults = query('oldest-results-of-checks', (k, p: { after: string; limit: number }) =>
  k
    .selectFrom('checks')
    .select((at) => [
      'checks.id',
      at
        .selectFrom('results')
        .select('results.started_at')
        .whereRef('results.check_id', '=', 'checks.id')
        .orderBy('results.started_at')
        .limit(1)
        .as('oldest_at'),
    ])
    .where('checks.id', '>', p.after)
    .orderBy('checks.id')
    .limit(p.limit),
)

const rawResultOf = (row: Row, parts: readonly string[]): RawResult => ({
  id: row.id,
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
