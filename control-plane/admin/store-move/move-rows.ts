/**
 * The rows of one store into another one that is empty, table by table. Each piece and the position behind it are one
 * transaction of the target: a kill at any moment costs the piece that was under way, and a further call goes on.
 */
import { sql } from 'kysely'
import type { Database, Db } from '../../platform/store/database/db.ts'
import { change, selectRows } from '../../platform/store/database/raw-sql.ts'
import { beginTable, progressOf, recordTable, stepTable, type TableProgress } from './move-record.ts'
import { addRow, emptySum, type PortableRow, storableText, type TableSum } from './portable-row.ts'
import { insertRows, rowsFrom } from './table-rows.ts'
import { type TableShape, tableShapes } from './table-shapes.ts'

/** What each store says of itself. */
const own = new Set(['migrations', recordTable])

/** A table as both stores have it. */
export type SharedTable = { source: TableShape; target: TableShape }

/** @throws Error when one of them has a table or column that the other has not */
export const sharedTables = async (
  source: Db,
  target: Db,
  without: ReadonlySet<string>,
): Promise<SharedTable[]> => {
  const inTarget = new Map((await tableShapes(target)).map((shape) => [shape.name, shape]))
  const shared = (await tableShapes(source))
    .filter(({ name }) => !own.has(name) && !without.has(name))
    .map((shape) => ({ source: shape, target: inTarget.get(shape.name) ?? shape }))
  for (const { source: mine, target: theirs } of shared)
    if (!inTarget.has(mine.name) || namesOf(mine) !== namesOf(theirs) || mine.key.length === 0)
      throw new Error(`The stores differ in the table ${mine.name}: (${namesOf(mine)}), (${namesOf(theirs)})`)
  return shared
}

const namesOf = ({ columns }: TableShape): string => columns.map(({ name }) => name).join(', ')

/** Texts that the other engine cannot hold, and that were mended; by `table.column`. */
export type MendedTexts = Map<string, number>

type Copy = {
  source: Db
  target: Database
  mended: MendedTexts
  /** Rows of the table that are copied by now. */
  tell(table: string, copied: number): void
}

export const copyTable = async (table: SharedTable, copy: Copy): Promise<void> => {
  const { name } = table.target
  let progress = (await progressOf(copy.target, name)) ?? (await clearTable(copy.target, name))
  if (progress.isDone) return
  for await (const { rows, position } of rowsFrom(copy.source, table.source, progress.position)) {
    const from: TableProgress = progress
    const to = { position, copied: from.copied + rows.length, isDone: false }
    const texts = mend(table.source, rows, copy)
    await copy.target.transaction(
      async (trx) => {
        await stepTable(trx, name, { from, to })
        await insertRows(trx, table.target, texts)
      },
      { unhurried: true },
    )
    progress = to
    copy.tell(name, progress.copied)
  }
  const last = progress
  await copy.target.transaction((trx) => stepTable(trx, name, { from: last, to: { ...last, isDone: true } }))
}

const atBegin: TableProgress = { position: null, copied: 0, isDone: false }

/** A new store may have written a few rows of its own. */
const clearTable = async (target: Database, name: string): Promise<TableProgress> => {
  await target.transaction(async (trx) => {
    await change(trx, sql`delete from ${sql.table(name)}`)
    await beginTable(trx, name)
  })
  return atBegin
}

/** SQLite takes every text; what it has cannot be found by PostgreSQL otherwise than as both hold it. */
const mend = (shape: TableShape, rows: readonly PortableRow[], { target, mended }: Copy): PortableRow[] =>
  rows.map((row) =>
    row.map((value, n) => {
      if (typeof value !== 'string' || !target.engine.roundTrips) return value
      const storable = storableText(value)
      const column = `${shape.name}.${shape.columns[n]?.name}`
      if (storable !== value) mended.set(column, (mended.get(column) ?? 0) + 1)
      return storable
    }),
  )

/** Of all rows, as the target holds their texts. */
export const sumTable = async (
  db: Db,
  shape: TableShape,
  { mends, tell }: { mends: boolean; tell(table: string, rows: number): void },
): Promise<TableSum> => {
  const sum = emptySum()
  for await (const { rows } of rowsFrom(db, shape, null)) {
    for (const row of rows)
      addRow(sum, mends ? row.map((value) => (typeof value === 'string' ? storableText(value) : value)) : row)
    tell(shape.name, sum.rows)
  }
  return sum
}

export const countRows = async (db: Database, { name }: TableShape): Promise<number> =>
  db.transaction(
    async (trx) => {
      const [row] = await selectRows<{ n: number }>(trx, sql`select count(*) as n from ${sql.table(name)}`)
      return row?.n ?? 0
    },
    { unhurried: true },
  )
