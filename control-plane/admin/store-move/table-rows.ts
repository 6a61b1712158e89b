/** The rows of a table, piece by piece along its key, and writing them into the same table of another store. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/store/database/db.ts'
import { change, selectRows } from '../../platform/store/database/raw-sql.ts'
import { type PortableRow, type PortableValue, portableRow } from './portable-row.ts'
import type { ColumnKind, TableShape } from './table-shapes.ts'

/** The key of the last row that was read. */
export type Position = readonly PortableValue[]

const fewest = 10
const max = 2000
const pieceBytes = 4 * 1024 * 1024

/** Rows differ a thousandfold in size: the next piece is as many as the last ones make about four megabytes of. */
const nextLimit = (rows: readonly PortableRow[]): number => {
  const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0)
  return Math.min(max, Math.max(fewest, Math.floor((rows.length * pieceBytes) / Math.max(1, bytes))))
}

const sizeOf = (row: PortableRow): number =>
  row.reduce<number>((sum, value) => {
    if (typeof value === 'string') return sum + value.length
    return sum + (value !== null && typeof value === 'object' ? value.hex.length : 8)
  }, 0)

export async function* rowsFrom(db: Db, shape: TableShape, after: Position | null) {
  let [position, limit] = [after, fewest]
  for (;;) {
    const rows = (await selectRows<Record<string, unknown>>(db, pieceOf(shape, { db, position, limit }))).map(
      (row) => portableRow(shape, row),
    )
    const last = rows.at(-1)
    if (last === undefined) return
    position = shape.key.map((name) => valueAt(shape, last, name))
    yield { rows, position }
    if (rows.length < limit) return
    limit = nextLimit(rows)
  }
}

const valueAt = ({ columns }: TableShape, row: PortableRow, name: string): PortableValue =>
  row[columns.findIndex((column) => column.name === name)] ?? null

type Piece = { db: Db; position: Position | null; limit: number }

const pieceOf = ({ name, columns, key }: TableShape, { db, position, limit }: Piece): RawBuilder<unknown> => {
  const kindOf = (column: string): ColumnKind => columns.find((one) => one.name === column)?.kind ?? 'plain'
  const keys = sql.join(key.map((column) => sql.ref(column)))
  const bounds = (position ?? []).map((value, n) => nativeValue(db, value, kindOf(key[n] ?? '')))
  const later = position === null ? sql`` : sql`where (${keys}) > (${sql.join(bounds)})`
  const all = sql.join(columns.map((column) => sql.ref(column.name)))
  return sql`select ${all} from ${sql.table(name)} ${later} order by ${keys} limit ${limit}`
}

/** As the engine's driver takes it. */
const nativeValue = (db: Db, value: PortableValue, kind: ColumnKind): unknown => {
  if (value === null || typeof value !== 'object') return value
  if (kind === 'uuid') return value.hex
  return db.engine.roundTrips ? `\\x${value.hex}` : Buffer.from(value.hex, 'hex')
}

/** In the transaction that also keeps the position. `shape`: of the store that is written to. */
export const insertRows = async (
  trx: Db,
  { name, columns }: TableShape,
  rows: readonly PortableRow[],
): Promise<void> => {
  const names = sql.join(columns.map((column) => sql.ref(column.name)))
  const native = rows.map((row) =>
    row.map((value, n) => nativeValue(trx, value, columns[n]?.kind ?? 'plain')),
  )
  if (!trx.engine.roundTrips) {
    for (const row of native)
      await change(trx, sql`insert into ${sql.table(name)} (${names}) values (${sql.join(row)})`)
    return
  }
  const objects = native.map((row) => Object.fromEntries(row.map((value, n) => [columns[n]?.name, value])))
  const table = sql`json_populate_recordset(cast(null as ${sql.table(name)}), cast(${objects} as json))`
  await change(trx, sql`insert into ${sql.table(name)} (${names}) select ${names} from ${table} as r`)
}
