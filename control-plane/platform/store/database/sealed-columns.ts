/** Rows of a column in the order of their key, and writing one of them back only if nobody has changed it meanwhile. */
import { sql } from 'kysely'
import { builderFor } from './builder.ts'
import type { Db } from './db.ts'
import type { Tables } from './tables.ts'

export type ColumnAddress = { table: keyof Tables; key: readonly string[]; column: string }

/** `key` holds the values of the key's columns by name. */
export type ColumnRow = { key: Record<string, string | number>; value: string }

type After = { after: ColumnRow | null; limit: number }

export const readColumn = async (
  db: Db,
  address: ColumnAddress,
  { after, limit }: After,
): Promise<ColumnRow[]> => {
  const key = sql.join(address.key.map((name) => sql.ref(name)))
  const column = sql.ref(address.column)
  const later = after ? sql` and (${key}) > (${sql.join(address.key.map((name) => after.key[name]))})` : sql``
  const rows = await db.select<Record<string, string | number>>(() => ({
    compile: () =>
      sql<
        Record<string, string | number>
      >`select ${key}, ${column} as sealed_value from ${sql.table(address.table)}
        where ${column} is not null${later} order by ${key} limit ${limit}`.compile(builderFor(db.engine)),
  }))
  return rows.map(({ sealed_value: value, ...values }) => ({ key: values, value: String(value) }))
}

const isRowOf = (address: ColumnAddress, { key }: ColumnRow) =>
  sql.join(
    address.key.map((name) => sql`${sql.ref(name)} = ${key[name]}`),
    sql` and `,
  )

/** For a value that nobody can open any more. */
export const dropSealed = async (
  db: Db,
  address: ColumnAddress,
  { row, what }: { row: ColumnRow; what: 'row' | 'value' },
): Promise<void> => {
  const table = sql.table(address.table)
  const where = isRowOf(address, row)
  const text =
    what === 'row'
      ? sql`delete from ${table} where ${where}`
      : sql`update ${table} set ${sql.ref(address.column)} = null where ${where}`
  await db.execute(() => ({ compile: () => text.compile(builderFor(db.engine)) }))
}

/** False when the row is gone or holds something else by now. */
export const replaceValue = async (
  db: Db,
  address: ColumnAddress,
  { row, value }: { row: ColumnRow; value: string },
): Promise<boolean> => {
  const column = sql.ref(address.column)
  const isRow = isRowOf(address, row)
  const changed = await db.execute(() => ({
    compile: () =>
      sql`update ${sql.table(address.table)} set ${column} = ${value}
        where ${isRow} and ${column} = ${row.value}`.compile(builderFor(db.engine)),
  }))
  return changed > 0
}
