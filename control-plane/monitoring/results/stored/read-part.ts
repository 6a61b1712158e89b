/** Rows of one check in one part, between two bounds, in the order of their start: the SQL of both layouts. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { failingRows, indexOf, tableOf } from '../../../platform/store/database/period-tables.ts'
import { selectRows } from '../../../platform/store/database/raw-sql.ts'
import type { Position } from '../../../platform/store/database/slices.ts'
import type { CheckNumbersTable } from '../../../platform/store/database/tables/results.ts'
import { firstIdAt } from '../../../platform/words/uuid.ts'
import { type DocumentKind, withDocuments } from './documents.ts'
import { endOfTime, type Part } from './parts.ts'
import type { Result, ResultWithDoc } from './result.ts'
import { flags, idOf, resultOf, type SmallRow, type StoredId, storedId } from './small-row.ts'

/** What is left out is not asked for. */
export type ResultFilter = {
  location?: string | undefined
  resultType?: 'FINAL' | 'ATTEMPT' | undefined
  hasFailures?: boolean | undefined
  hasErrors?: boolean | undefined
  isCancelled?: boolean | undefined
  /** Failures or errors: few, and found by an index of their own. */
  failing?: true | undefined
  sequenceIds?: readonly string[] | undefined
  checkRunId?: number | undefined
}

export type Direction = 'oldest-first' | 'newest-first'

/** Of a list in its direction: `after` and `until` are places in it, instants where there is no place. */
export type Bounds = {
  direction: Direction
  /** `from` inclusive, `to` exclusive. */
  from?: number | undefined
  to?: number | undefined
  after: Position | null
  until: Position | null
}

export type PartQuery = { check: CheckNumbersTable; filter: ResultFilter; bounds: Bounds }

type Source = { table: RawBuilder<unknown>; conditions: RawBuilder<unknown>[] }

const placeOf = (db: Db, part: Part, { at, id }: Position) =>
  sql`(${at}, ${part.layout === 'small' ? storedId(db.engine, id) : id})`

const starts = sql.ref('started_at')

/** One bound at each end; PostgreSQL is told the instant of a place as well, or it would not know how few rows there are. */
const boundsOf = (
  db: Db,
  part: Part,
  { direction, from, to, after, until }: Bounds,
): RawBuilder<unknown>[] => {
  const newestFirst = direction === 'newest-first'
  const place = (position: Position, operator: string, instant: string): RawBuilder<unknown>[] => [
    sql`(started_at, id) ${sql.raw(operator)} ${placeOf(db, part, position)}`,
    ...(db.engine.estimatesByColumn ? [sql`${starts} ${sql.raw(instant)} ${position.at}`] : []),
  ]
  const lower = newestFirst ? until : after
  const upper = newestFirst ? after : until
  return [
    ...(lower !== null
      ? place(lower, newestFirst ? '>=' : '>', '>=')
      : from === undefined
        ? []
        : [sql`started_at >= ${from}`]),
    ...(upper !== null
      ? place(upper, newestFirst ? '<' : '<=', '<=')
      : to === undefined
        ? []
        : [sql`started_at < ${to}`]),
  ]
}

const smallSource = (
  db: Db,
  part: Extract<Part, { layout: 'small' }>,
  { check, filter }: PartQuery,
): Source => {
  const name = tableOf('result_rows', part.suffix)
  const index = indexOf('result_rows', part.suffix, filter.failing ? 'failing' : 'check')
  const mask: number[] = []
  let value = 0
  const flag = (bit: number, wanted: boolean | undefined): void => {
    if (wanted === undefined) return
    mask.push(bit)
    if (wanted) value |= bit
  }
  flag(flags.attempt, filter.resultType === undefined ? undefined : filter.resultType === 'ATTEMPT')
  flag(flags.failures, filter.hasFailures)
  flag(flags.errors, filter.hasErrors)
  flag(flags.cancelled, filter.isCancelled)
  const bits = mask.reduce((a, b) => a | b, 0)
  const { location, sequenceIds, checkRunId } = filter
  return {
    table: db.engine.along(name, index),
    conditions: [
      sql`check_n = ${check.n}`,
      ...(filter.failing ? [sql.raw(failingRows)] : []),
      ...(bits === 0 ? [] : [sql`(flags & ${sql.lit(bits)}) = ${sql.lit(value)}`]),
      ...(location === undefined
        ? []
        : [sql`location_n = (select n from location_numbers where name = ${location})`]),
      ...(sequenceIds === undefined
        ? []
        : [
            sql`coalesce(sequence_id, id) in (${sql.join(sequenceIds.map((id) => storedId(db.engine, id)))})`,
          ]),
      ...(checkRunId === undefined ? [] : [sql`started_at - due_ms - check_run_ms = ${checkRunId}`]),
    ],
  }
}

const legacySource = (db: Db, { check, filter }: PartQuery): Source => {
  const { location, resultType, sequenceIds, checkRunId } = filter
  const flag = (column: string, wanted: boolean | undefined): RawBuilder<unknown>[] =>
    wanted === undefined ? [] : [sql`${sql.ref(column)} = ${sql.lit(wanted ? 1 : 0)}`]
  return {
    table: db.engine.along('results', filter.failing ? 'results_failing' : 'results_check'),
    conditions: [
      sql`check_id = ${check.check_id}`,
      ...(filter.failing ? [sql`(has_failures = 1 or has_errors = 1)`] : []),
      ...flag('has_failures', filter.hasFailures),
      ...flag('has_errors', filter.hasErrors),
      ...flag('is_cancelled', filter.isCancelled),
      ...(resultType === undefined ? [] : [sql`result_type = ${resultType}`]),
      ...(location === undefined ? [] : [sql`location = ${location}`]),
      ...(sequenceIds === undefined ? [] : [sql`sequence_id in (${sql.join([...sequenceIds])})`]),
      ...(checkRunId === undefined ? [] : [sql`check_run_id = ${checkRunId}`]),
    ],
  }
}

const sourceOf = (db: Db, part: Part, query: PartQuery): Source =>
  part.layout === 'small' ? smallSource(db, part, query) : legacySource(db, query)

const whereOf = (db: Db, part: Part, query: PartQuery): RawBuilder<unknown> => {
  const { table, conditions } = sourceOf(db, part, query)
  return sql`from ${table} where ${sql.join([...conditions, ...boundsOf(db, part, query.bounds)], sql` and `)}`
}

const orderOf = ({ bounds: { direction } }: PartQuery): RawBuilder<unknown> =>
  direction === 'newest-first' ? sql`order by started_at desc, id desc` : sql`order by started_at, id`

/** The place of the row at `offset`; filters do not count. */
export const placeAt = async (
  db: Db,
  part: Part,
  query: PartQuery,
  offset: number,
): Promise<Position | null> => {
  const all = { ...query, filter: query.filter.failing ? { failing: true as const } : {} }
  const [row] = await selectRows<{ started_at: number; id: StoredId }>(
    db,
    sql`select started_at, id ${whereOf(db, part, all)} ${orderOf(query)} limit 1 offset ${offset}`,
  )
  return row === undefined ? null : { at: row.started_at, id: placeId(part, row.id) }
}

const placeId = (part: Part, id: StoredId): string => (part.layout === 'small' ? idOf(id) : String(id))

export const countIn = async (db: Db, part: Part, query: PartQuery): Promise<number> => {
  const [row] = await selectRows<{ total: number }>(
    db,
    sql`select count(*) as total ${whereOf(db, part, query)}`,
  )
  return row?.total ?? 0
}

const locationOfRow = sql`(select name from location_numbers where location_numbers.n = location_n) as location`

export const readPart = async (
  db: Db,
  part: Part,
  query: PartQuery,
  { limit }: { limit: number },
): Promise<Result[]> => {
  const columns = part.layout === 'small' ? sql`*, ${locationOfRow}` : legacyColumns
  const statement = sql`select ${columns} ${whereOf(db, part, query)} ${orderOf(query)} limit ${limit}`
  if (part.layout === 'legacy') return selectRows<Result>(db, statement)
  const rows = await selectRows<SmallRow>(db, statement)
  return rows.map((row) => resultOf({ ...row, ...query.check }))
}

export const legacyColumnNames = [
  'id',
  'account_id',
  'check_id',
  'check_type',
  'result_type',
  'location',
  'due_at',
  'started_at',
  'stopped_at',
  'created_at',
  'response_time',
  'has_failures',
  'has_errors',
  'is_degraded',
  'is_cancelled',
  'over_max',
  'attempts',
  'sequence_id',
  'check_run_id',
]
const legacyColumns = sql.join(legacyColumnNames.map((name) => sql.ref(name)))

/** The row with an id, of whatever check. */
export const findInPart = async (db: Db, part: Part, id: string): Promise<Result | undefined> => {
  if (part.layout === 'legacy') {
    const [row] = await selectRows<Result>(db, sql`select ${legacyColumns} from results where id = ${id}`)
    return row
  }
  const [row] = await selectRows<NamedRow>(
    db,
    sql`${namedRows(part.suffix)} where r.id = ${storedId(db.engine, id)}`,
  )
  return row === undefined ? undefined : resultOf(row)
}

type NamedRow = SmallRow & CheckNumbersTable

const namedRows = (suffix: string): RawBuilder<unknown> =>
  sql`select r.*, c.check_id, c.account_id, c.check_type, l.name as location
    from ${sql.table(tableOf('result_rows', suffix))} r
    join check_numbers c on c.n = r.check_n join location_numbers l on l.n = r.location_n`

export const newestInPart = async (db: Db, suffix: string): Promise<Result | undefined> => {
  const [row] = await selectRows<NamedRow>(db, sql`${namedRows(suffix)} order by r.id desc limit 1`)
  return row === undefined ? undefined : resultOf(row)
}

/** Results of one check and part with their documents. */
export const documented = async (
  db: Db,
  part: Part,
  results: readonly Result[],
  { checkN, kind }: { checkN: number; kind: DocumentKind },
): Promise<ResultWithDoc[]> => {
  if (results.length === 0) return []
  if (part.layout === 'small') return withDocuments(db, { part, checkN, kind }, results)
  const ids = sql.join(results.map(({ id }) => id))
  const rows = await selectRows<{ id: string; doc: string }>(
    db,
    sql`select id, doc from results where id in (${ids})`,
  )
  const docs = new Map(rows.map(({ id, doc }) => [id, doc]))
  return results.flatMap((result) => {
    const doc = docs.get(result.id)
    return doc === undefined ? [] : [{ ...result, doc }]
  })
}

type FirstRows = { after: string; before: number; limit: number }

/** In the order of ids, behind `after`; of ids that are made before an instant. */
export const firstInPart = async (
  db: Db,
  part: Part,
  { after, before, limit }: FirstRows,
): Promise<Result[]> => {
  const last = firstIdAt(before)
  if (part.layout === 'legacy')
    return selectRows<Result>(
      db,
      sql`select ${legacyColumns} from results where id > ${after} and id <= ${last} order by id limit ${limit}`,
    )
  const behind = after === '' ? sql`` : sql`and r.id > ${storedId(db.engine, after)}`
  const rows = await selectRows<NamedRow>(
    db,
    sql`${namedRows(part.suffix)} where r.id <= ${storedId(db.engine, last)} ${behind} order by r.id limit ${limit}`,
  )
  return rows.map(resultOf)
}

/** When the first of its rows came in; null: it has none. */
export const oldestInPart = async (db: Db, part: Part): Promise<number | null> => {
  const [first] = await firstInPart(db, part, { after: '', before: endOfTime - 1, limit: 1 })
  return first?.created_at ?? null
}
