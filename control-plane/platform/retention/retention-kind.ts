/**
 * What ends with time. A *kind* is a table of rows, or a part of them, with a setting; a *piece* is what one transaction
 * does of it, in the order of the table's key, from a place on. The list of all kinds is control-plane/retention.ts.
 */
import {
  type DeleteQueryBuilder,
  type DeleteResult,
  type Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
} from 'kysely'
import type { App } from '../app/app.ts'
import type { Db } from '../store/database/db.ts'
import type { ResultTable } from '../store/database/schema/period-tables.ts'
import type { Tables } from '../store/database/tables.ts'
import { firstIdAt } from '../words/uuid.ts'

/** `before`: what is older ends. `after`: the place behind which the piece begins; `''` is the table's start. */
export type PieceOrder = { before: number; now: number; after: string; size: number }

/**
 * `next`: where the following piece begins; null: the walk is at its end. `oldestAt`: of what is left of the piece; absent
 * where the kind knows its oldest row without a walk.
 */
export type PieceDone = { rows: number; next: string | null; oldestAt?: number | null }

export type RetentionKind = {
  /** As metrics and the operator's program name it. */
  name: string
  /** Whose room new rows use again: on PostgreSQL it counts as free. */
  table: keyof Tables | `${ResultTable}_retained`
  /** Null: what is over is known without an age. */
  setting: string | null
  /** Grows by itself, without anybody writing to it by hand: its oldest rows go when the store is to become smaller. */
  makesRoom: boolean
  /** It ends by the share of its own time that has to go, and not with what is as old. */
  endsBySize?: 'apart'
  piece(trx: Db, order: PieceOrder): Promise<PieceDone>
  /** How many rows would end now, counted up to `limit`. */
  count(db: Db, order: { before: number; limit: number }): Promise<number>
  /** Instant of the oldest row; null: there is none. */
  oldestAt(db: Db): Promise<number | null>
  /** When the walk is at its end: what no transaction can do. */
  afterWalk?(app: App, signal: AbortSignal): Promise<void>
}

type TableWithIds = { [T in keyof Tables]: Tables[T] extends { id: string } ? T : never }[keyof Tables]

type Range = { after: string; until: string | null; before: number; now: number }

type IdKind<T extends TableWithIds> = {
  name: string
  table: T
  setting: string
  makesRoom?: true
  /** The instant that a row's age counts from; null rows do not end. */
  at: keyof Tables[T] & string
  /** Ids grow with time: behind the first one of `before` nothing is old enough. Else every turn walks over the whole table. */
  idsGrow: boolean
  /** What more must be true of a row that ends, in terms of its table. */
  isOver?: RawBuilder<boolean>
  /** In the same transaction before the rows go; `over`: their ids. */
  beforeRemoval?(trx: Db, over: RawBuilder<unknown>, range: Range): Promise<unknown>
  /** In the same transaction after they went. */
  afterRemoval?(trx: Db, range: Range): Promise<unknown>
}

/** A table whose key is its `id`. */
export const kindOfTable = <T extends TableWithIds>(kind: IdKind<T>): RetentionKind => {
  const { name, table, setting, makesRoom = false, idsGrow, beforeRemoval, afterRemoval } = kind
  return {
    name,
    table,
    setting,
    makesRoom,
    piece: async (trx, { before, now, after, size }) => {
      const last = idsGrow ? firstIdAt(before) : null
      const next = await idBehind(trx, table, { after, last, size })
      const range = { after, until: next ?? last, before, now }
      const over = overIn(kind, range)
      await beforeRemoval?.(trx, sql`(select id from ${sql.table(table)} where ${over})`, range)
      const rows = await trx.execute((k) => deletionFrom(k, table).where(over))
      if (rows > 0) await afterRemoval?.(trx, range)
      return idsGrow ? { rows, next } : { rows, next, oldestAt: await oldestIn(trx, kind, range) }
    },
    count: async (db, { before, limit }) => {
      const range = { after: '', until: idsGrow ? firstIdAt(before) : null, before, now: before }
      const [row] = await db.select<{ total: number }>((k) =>
        k
          .selectFrom(
            sql`(select 1 as one from ${sql.table(table)} where ${overIn(kind, range)} limit ${limit})`.as(
              'o',
            ),
          )
          .select((at) => at.fn.countAll<number>().as('total'))
          .$castTo<{ total: number }>(),
      )
      return row?.total ?? 0
    },
    oldestAt: async (db) => (idsGrow ? firstOf(db, kind) : oldestIn(db, kind, wholeTable)),
  }
}

type AnyTable = Record<string, Record<string, unknown>>

/** Which table it is is known when it runs: its columns are named by the kind, and held to the table there. */
const readingOf = (k: Kysely<Tables>, table: TableWithIds): SelectQueryBuilder<AnyTable, string, object> =>
  k.selectFrom(table) as never
const deletionFrom = (
  k: Kysely<Tables>,
  table: TableWithIds,
): DeleteQueryBuilder<AnyTable, string, DeleteResult> => k.deleteFrom(table) as never

const wholeTable = { after: '', until: null }

const isIn = ({ after, until }: Pick<Range, 'after' | 'until'>): RawBuilder<boolean> =>
  until === null ? sql`id > ${after}` : sql`id > ${after} and id <= ${until}`

const overIn = <T extends TableWithIds>({ at, isOver }: IdKind<T>, range: Range): RawBuilder<boolean> => {
  const old = sql<boolean>`${isIn(range)} and ${sql.ref(at)} < ${range.before}`
  return isOver === undefined ? old : sql`${old} and ${isOver}`
}

/** The id of the `size`th row behind `after`; null where the walk ends within it. */
const idBehind = async (
  db: Db,
  table: TableWithIds,
  { after, last, size }: { after: string; last: string | null; size: number },
): Promise<string | null> => {
  const [row] = await db.select<{ id: string }>((k) =>
    k
      .selectFrom(table)
      .select('id')
      .where(isIn({ after, until: last }))
      .orderBy('id')
      .limit(1)
      .offset(size - 1)
      .$castTo<{ id: string }>(),
  )
  return row?.id ?? null
}

const oldestIn = async <T extends TableWithIds>(
  db: Db,
  { table, at }: IdKind<T>,
  range: Pick<Range, 'after' | 'until'>,
): Promise<number | null> => {
  const [row] = await db.select<{ oldest: number | null }>((k) =>
    readingOf(k, table)
      .select(sql`min(${sql.ref(at)})`.as('oldest'))
      .where(isIn(range))
      .$castTo<{ oldest: number | null }>(),
  )
  return row?.oldest ?? null
}

const firstOf = async <T extends TableWithIds>(db: Db, { table, at }: IdKind<T>): Promise<number | null> => {
  const [row] = await db.select<{ oldest: number | null }>((k) =>
    readingOf(k, table)
      .select(sql.ref(at).as('oldest'))
      .orderBy('id')
      .limit(1)
      .$castTo<{ oldest: number | null }>(),
  )
  return row?.oldest ?? null
}

/** A walk whose rows lie in several places: one after the other, and the place says in which of them it is. Pure. */
export const inStages = (...stages: RetentionKind['piece'][]): RetentionKind['piece'] => {
  return async (trx, { after, ...order }): Promise<PieceDone> => {
    const space = after.indexOf(' ')
    const stage = space < 0 ? 0 : Number(after.slice(0, space))
    const piece = stages[stage]
    if (piece === undefined) return { rows: 0, next: null }
    const { rows, next } = await piece(trx, { ...order, after: after.slice(space + 1) })
    if (next !== null) return { rows, next: `${stage} ${next}` }
    return { rows, next: stage + 1 < stages.length ? `${stage + 1} ` : null }
  }
}
