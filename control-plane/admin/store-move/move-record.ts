/**
 * What a store says of itself while another one is moved into it: a row among its migrations that no program knows, so that
 * no control plane of any version starts on it, and how far each table is. Both are gone when the move has ended.
 */
import { sql } from 'kysely'
import { Type } from 'typebox'
import { unfinishedMove } from '../../platform/store/database/applied-migrations.ts'
import type { Database, Db } from '../../platform/store/database/db.ts'
import { change, selectRows } from '../../platform/store/database/raw-sql.ts'
import { storedList } from '../../platform/store/database/stored-doc.ts'
import type { Position } from './table-rows.ts'

export const recordTable = 'store_move'

/** `position`: the key of the last row that was copied, as JSON; `done`: 1 when there are no more. */
type RecordRow = { name: string; position: string | null; copied: number; done: number }

export type TableProgress = { position: Position | null; copied: number; isDone: boolean }

const positions = storedList({
  name: 'position of a move',
  items: Type.Union([Type.String(), Type.Number(), Type.Null(), Type.Object({ hex: Type.String() })]),
})

/** The row that says which store comes in. */
const sourceRow = ''

export const beginRecord = (db: Database, source: string, now: number): Promise<void> =>
  db.transaction(async (trx) => {
    await change(
      trx,
      sql`create table if not exists migrations (id text primary key, applied_at bigint not null)`,
    )
    await change(trx, sql`insert into migrations (id, applied_at) values (${unfinishedMove}, ${now})`)
    await change(
      trx,
      sql`create table ${sql.table(recordTable)} (name text primary key, position text, copied bigint not null, done bigint not null)`,
    )
    await change(
      trx,
      sql`insert into ${sql.table(recordTable)} (name, position, copied, done) values (${sourceRow}, ${source}, 0, 0)`,
    )
  })

const rowOf = async (db: Db, name: string): Promise<RecordRow | undefined> => {
  const rows = await selectRows<RecordRow>(
    db,
    sql`select * from ${sql.table(recordTable)} where name = ${name}`,
  )
  return rows[0]
}

/** Which store a move that has not ended brings. */
export const sourceOfRecord = async (db: Db): Promise<string | null> =>
  (await rowOf(db, sourceRow))?.position ?? null

/** Null for a table of which nothing was copied. */
export const progressOf = async (db: Db, table: string): Promise<TableProgress | null> => {
  const row = await rowOf(db, table)
  if (row === undefined) return null
  return {
    position: row.position === null ? null : positions.read(row.position),
    copied: row.copied,
    isDone: row.done === 1,
  }
}

export const beginTable = async (trx: Db, table: string): Promise<void> => {
  await change(
    trx,
    sql`insert into ${sql.table(recordTable)} (name, position, copied, done) values (${table}, null, 0, 0)`,
  )
}

type Step = { from: TableProgress; to: TableProgress }

/** @throws MovedElsewhere when another process was at the same table meanwhile: nothing of this transaction stays */
export const stepTable = async (trx: Db, table: string, { from, to }: Step): Promise<void> => {
  const changed = await change(
    trx,
    sql`update ${sql.table(recordTable)} set position = ${textOf(to)}, copied = ${to.copied}, done = ${to.isDone ? 1 : 0}
      where name = ${table} and copied = ${from.copied} and done = 0`,
  )
  if (changed !== 1) throw new MovedElsewhere(`Another process copies ${table} at the same time`)
}

const textOf = ({ position }: TableProgress): string | null =>
  position === null ? null : JSON.stringify(position)

/** Two moves into one store. */
export class MovedElsewhere extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MovedElsewhere'
  }
}

/** From here on it is a store like any other. */
export const endRecord = (db: Database): Promise<void> =>
  db.transaction(async (trx) => {
    await change(trx, sql`drop table ${sql.table(recordTable)}`)
    await change(trx, sql`delete from migrations where id = ${unfinishedMove}`)
  })
