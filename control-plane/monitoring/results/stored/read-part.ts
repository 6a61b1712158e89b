/** Rows of one check in one part, between two bounds, in the order of their start. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { selectRows } from '../../../platform/store/database/raw-sql.ts'
import { failingRows, indexOf, tableOf } from '../../../platform/store/database/schema/period-tables.ts'
import type { Position } from '../../../platform/store/database/slices.ts'
import type { CheckNumbersTable } from '../../../platform/store/database/tables/results.ts'
import { firstIdAt } from '../../../platform/words/uuid.ts'
import { endOfTime, type Part, withinPart } from './parts.ts'
import type { Result } from './result.ts'
import { bytesOfId, flags, idOf, resultOf, type SmallRow, type StoredId, storedId } from './small-row.ts'

/** What is left out is not asked for. */
export type ResultFilter = {
  location?: string | undefined
  resultType?: 'FINAL' | 'ATTEMPT' | undefined
  hasFailures?: boolean | undefined
  hasErrors?: boolean | undefined
  isDegraded?: boolean | undefined
  isCancelled?: boolean | undefined
  /** Failures or errors: few, and found by an index of their own. */
  failing?: true | undefined
  sequenceIds?: readonly string[] | undefined
  checkRunId?: number | undefined
}

export type Direction = 'oldest-first' | 'newest-first'

/** Of a list in its direction: `after` and `until` are positions in it, instants where there is no position. */
type Bounds = {
  direction: Direction
  /** `from` inclusive, `to` exclusive. */
  from?: number | undefined
  to?: number | undefined
  after: Position | null
  until: Position | null
}

export type PartQuery = { check: CheckNumbersTable; filter: ResultFilter; bounds: Bounds }

type Source = { table: RawBuilder<unknown>; conditions: RawBuilder<unknown>[] }

const positionOf = (db: Db, { at, id }: Position) => sql`(${at}, ${storedId(db.engine, id)})`

const starts = sql.ref('started_at')

/** One bound at each end; PostgreSQL is told the instant of a position as well, or it would not know how few rows there are. */
const boundsOf = (db: Db, { direction, from, to, after, until }: Bounds): RawBuilder<unknown>[] => {
  const newestFirst = direction === 'newest-first'
  const bound = (position: Position, operator: string, instant: string): RawBuilder<unknown>[] => [
    sql`(started_at, id) ${sql.raw(operator)} ${positionOf(db, position)}`,
    ...(db.engine.estimatesByColumn ? [sql`${starts} ${sql.raw(instant)} ${position.at}`] : []),
  ]
  const lower = newestFirst ? until : after
  const upper = newestFirst ? after : until
  return [
    ...(lower !== null
      ? bound(lower, newestFirst ? '>=' : '>', '>=')
      : from === undefined
        ? []
        : [sql`started_at >= ${from}`]),
    ...(upper !== null
      ? bound(upper, newestFirst ? '<' : '<=', '<=')
      : to === undefined
        ? []
        : [sql`started_at < ${to}`]),
  ]
}

const sourceOf = (db: Db, part: Part, { check, filter }: PartQuery): Source => {
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
  flag(flags.degraded, filter.isDegraded)
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
            sql`(sequence_id in (${sql.join(sequenceIds.map(bytesOfId))}) or length(sequence_id) = 0
              and id in (${sql.join(sequenceIds.map((id) => storedId(db.engine, id)))}))`,
          ]),
      ...(checkRunId === undefined ? [] : [sql`started_at - due_ms - check_run_ms = ${checkRunId}`]),
    ],
  }
}

const whereOf = (db: Db, part: Part, query: PartQuery): RawBuilder<unknown> => {
  const { table, conditions } = sourceOf(db, part, query)
  return sql`from ${table} where ${sql.join([...conditions, ...boundsOf(db, query.bounds)], sql` and `)}${withinPart(part)}`
}

const orderOf = ({ bounds: { direction } }: PartQuery): RawBuilder<unknown> =>
  direction === 'newest-first' ? sql`order by started_at desc, id desc` : sql`order by started_at, id`

/** The position of the row at `offset`; filters do not count. */
export const positionAt = async (
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
  return row === undefined ? null : { at: row.started_at, id: idOf(row.id) }
}

export const countIn = async (db: Db, part: Part, query: PartQuery): Promise<number> => {
  const [row] = await selectRows<{ total: number }>(
    db,
    sql`select count(*) as total ${whereOf(db, part, query)}`,
  )
  return row?.total ?? 0
}

/** A column beside those of the row. */
export const locationOfRow = sql`(select name from location_numbers where location_numbers.n = location_n) as location`

export const readPart = async (
  db: Db,
  part: Part,
  query: PartQuery,
  { limit }: { limit: number },
): Promise<Result[]> => {
  const rows = await selectRows<SmallRow>(
    db,
    sql`select *, ${locationOfRow} ${whereOf(db, part, query)} ${orderOf(query)} limit ${limit}`,
  )
  return rows.map((row) => resultOf({ ...row, ...query.check }))
}

/** The row with an id, of whatever check. */
export const findInPart = async (db: Db, part: Part, id: string): Promise<Result | undefined> => {
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

type FirstRows = { after: string; before: number; limit: number }

/** In the order of ids, behind `after`; of ids that are made before an instant. */
export const firstInPart = async (
  db: Db,
  part: Part,
  { after, before, limit }: FirstRows,
): Promise<Result[]> => {
  const last = firstIdAt(before)
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
