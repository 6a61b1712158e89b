/**
 * The same insert for one row and for many. Where a statement costs a round trip, all rows are one statement with one
 * parameter, a JSON array; SQLite is called once a row, which is three times faster than taking the rows out of JSON.
 */
import { type InsertQueryBuilder, type InsertResult, type Kysely, sql } from 'kysely'
import { isBooleanColumn } from './booleans.ts'
import type { Db } from './db.ts'
import { type Query, query } from './query.ts'
import type { Tables } from './tables.ts'

type Row<T extends keyof Tables> = { [C in keyof Tables[T]]: Tables[T][C] }
type Insert<T extends keyof Tables> = InsertQueryBuilder<Tables, T, InsertResult>

type RowStatement<P> = {
  one: Query<P, unknown>
  many: Query<{ rows: readonly object[] }, unknown>
  valuesOf(params: P): object
}

type Definition<T extends keyof Tables, P> = {
  name: string
  table: T
  /** Also called with stand-ins (query.ts): it only names and orders. */
  valuesOf(params: P): Row<T>
  /** What is done about rows that are there already. */
  also?(insert: Insert<T>): Insert<T>
}

export const rowStatement = <T extends keyof Tables, P>({
  name,
  table,
  valuesOf,
  also = (insert) => insert,
}: Definition<T, P>): RowStatement<P> => ({
  valuesOf,
  one: query(name, (k, p: P) => also(into(k, table).values(valuesOf(p) as never))),
  many: query(`${name}-rows`, (k, p: { rows: readonly object[] }) => {
    const columns = Object.keys(valuesOf(anything as P))
    const rows = sql`json_populate_recordset(cast(null as ${sql.table(table)}), cast(${p.rows} as json))`
    const select = k.selectFrom(rows.as('r')).select(columns.map((column) => sql.ref(column).as(column)))
    return also(
      into(k, table)
        .columns(columns as never)
        .expression(select as never),
    )
  }),
})

/** Kysely's types do not hold for a table that is only known by its type parameter. */
const into = <T extends keyof Tables>(k: Kysely<Tables>, table: T): Insert<T> =>
  k.insertInto(table) as unknown as Insert<T>

const anything = new Proxy({}, { get: () => null })

/** In the order of the rows. */
export const runForRows = async <P>(
  db: Db,
  { one, many, valuesOf }: RowStatement<P>,
  rows: readonly P[],
): Promise<void> => {
  if (rows.length > 1 && db.engine.roundTrips) await db.run(many, { rows: rows.map(valuesOf).map(asColumns) })
  else for (const row of rows) await db.run(one, row)
}

/** A boolean is 0 or 1 in a column. */
const asColumns = (row: object): object => {
  const columns = row as Record<string, unknown>
  for (const name of Object.keys(columns))
    if (isBooleanColumn(name) && typeof columns[name] === 'boolean') columns[name] = columns[name] ? 1 : 0
  return columns
}
