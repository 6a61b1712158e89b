/**
 * Slices of a list that lies in the order of an index: (owner, instant, id). Each of their two ends is one bound, a place
 * in the list or an instant, so that both engines go straight to the first row and stop behind the last. An instant beside a place
 * would make SQLite walk to the place from the start.
 */
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from './db.ts'
import type { Engine } from './engines.ts'
import type { Tables } from './tables.ts'

export type Position = { at: number; id: string }

export type OrderedList<T extends keyof Tables> = {
  table: T
  index: string
  /** The first column of the index, and whose rows are meant. */
  owner: readonly [column: string, value: string | number]
  /** The second column of the index. */
  at: keyof Tables[T] & string
  direction: 'oldest-first' | 'newest-first'
  /** Of rows of one instant the lowest id comes first, although the newest instant does: as in the index, and few are of one. */
  lowestIdFirst?: true
  /** `from` inclusive, `to` exclusive. */
  from?: number | undefined
  to?: number | undefined
}

/** What comes behind `after` (null: the beginning), up to and including `until` (null: the end). */
export type Slice = { after: Position | null; until: Position | null }

/** What `Db.select` builds with. */
export type Builder = { k: Kysely<Tables>; engine: Engine }

type Loose = SelectQueryBuilder<Record<string, Record<string, unknown>>, string, object>
type End = {
  position: Position | null
  operator: '<' | '<=' | '>' | '>='
  instant: RawBuilder<boolean> | null
}

/** A table, read along one of its indexes. Which index is text of the engine, so the builder is told the table's type again. */
const along = <T extends keyof Tables>(
  { k, engine }: Builder,
  table: T,
  index: string,
): SelectQueryBuilder<Tables, T, object> =>
  k.selectFrom(sql.ref(table).as(engine.along(table, index)) as never) as never

/** The rows of a slice, in the order of the list; filters may follow. */
export const selectSlice = <T extends keyof Tables>(
  { k, engine }: Builder,
  list: OrderedList<T>,
  { after, until }: Slice,
): SelectQueryBuilder<Tables, T, object> => {
  const { table, index, owner, at, direction, lowestIdFirst, from, to } = list
  const newestFirst = direction === 'newest-first'
  const lower = from === undefined ? null : sql<boolean>`${sql.ref(at)} >= ${from}`
  const upper = to === undefined ? null : sql<boolean>`${sql.ref(at)} < ${to}`
  const start: End = {
    position: after,
    operator: newestFirst ? '<' : '>',
    instant: newestFirst ? upper : lower,
  }
  const end: End = {
    position: until,
    operator: newestFirst ? '>=' : '<=',
    instant: newestFirst ? lower : upper,
  }
  // Columns are named by the list, which was held to the table where it was declared.
  let rows = (along({ k, engine }, table, index) as unknown as Loose).where(owner[0], '=', owner[1])
  const ordering = { column: at, mixed: lowestIdFirst === true, engine }
  for (const bound of [start, end]) rows = bounded(rows, ordering, bound)
  const order = newestFirst ? 'desc' : 'asc'
  return rows
    .orderBy(at, order)
    .orderBy('id', lowestIdFirst ? 'asc' : order) as unknown as SelectQueryBuilder<Tables, T, object>
}

type Ordering = { column: string; mixed: boolean; engine: Engine }

const bounded = (
  rows: Loose,
  { column, mixed, engine }: Ordering,
  { position, operator, instant }: End,
): Loose => {
  if (position === null) return instant === null ? rows : rows.where(instant)
  if (mixed) return boundedByInstant(rows, column, { position, operator })
  const inside = rows.where((at) =>
    at(at.refTuple(column, 'id'), operator, at.tuple(position.at, position.id) as never),
  )
  if (!engine.estimatesByColumn) return inside
  return inside.where(column, operator.startsWith('<') ? '<=' : '>=', position.at)
}

type Bound = { position: Position; operator: End['operator'] }

/** Newest instant and lowest id first: what follows a place has an earlier instant, or the same one and a higher id. */
const boundedByInstant = (rows: Loose, column: string, { position, operator }: Bound): Loose => {
  const follows = operator === '<'
  return rows
    .where(column, follows ? '<=' : '>=', position.at)
    .where((at) =>
      at.or([at(column, follows ? '<' : '>', position.at), at('id', follows ? '>' : '<=', position.id)]),
    )
}

/** The slice of about `size` rows behind `after`; its `until` is null where the list ends within it. */
export const nextSlice = async <T extends keyof Tables>(
  db: Db,
  list: OrderedList<T>,
  { after, size }: { after: Position | null; size: number },
): Promise<Slice> => {
  const [until] = await db.select<Position>((k, engine) =>
    (selectSlice({ k, engine }, list, { after, until: null }) as unknown as Loose)
      .select([`${list.at} as at`, 'id'])
      .limit(1)
      .offset(size - 1)
      .$castTo<Position>(),
  )
  return { after, until: until ?? null }
}
