/**
 * How many rows each table has and about how much they take, without reading them: SQLite's own count of pages per table
 * (dbstat) reads the whole file, so there a few hundred rows of each table stand for it.
 */
import { sql } from 'kysely'
import type { Db } from '../platform/store/database/db.ts'
import { serverTables, spaceOf } from '../platform/store/database/space.ts'

export type TableSize = { name: string; rows: number; bytes: number }

/** The largest first. */
export const tableSizes = async (db: Db): Promise<TableSize[]> => {
  const sizes = db.engine.name === 'sqlite' ? await sizesOfFile(db) : await serverTables(db)
  return sizes
    .map(({ name, rows, bytes }) => ({ name, rows, bytes }))
    .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
}

type FileTable = { name: string; wr: number }

const sizesOfFile = async (db: Db): Promise<TableSize[]> => {
  const tables = await db.select<FileTable>((k) =>
    k
      .selectFrom(
        sql`(select name, wr from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite~_%' escape '~')`.as(
          't',
        ),
      )
      .selectAll()
      .$castTo<FileTable>(),
  )
  const sizes: TableSize[] = []
  for (const table of tables) sizes.push(await sizeOf(db, table))
  // Indexes and what pages leave unused, in proportion.
  const { usedBytes } = await spaceOf(db, [])
  const sum = sizes.reduce((total, { bytes }) => total + bytes, 0)
  return sizes.map((size) => ({ ...size, bytes: sum === 0 ? 0 : Math.round((size.bytes * usedBytes) / sum) }))
}

const countedUpTo = 10_000
const sampled = 200

const sizeOf = async (db: Db, { name, wr }: FileTable): Promise<TableSize> => {
  const table = sql.table(name)
  const counted = await numberFrom(
    db,
    sql`(select count(*) as n from (select 1 from ${table} limit ${countedUpTo + 1}))`,
  )
  const isLong = counted > countedUpTo && wr === 0
  const rows = isLong
    ? await numberFrom(
        db,
        sql`(select (select max(rowid) from ${table}) - (select min(rowid) from ${table}) + 1 as n)`,
      )
    : counted
  const columns = await db.select<{ name: string }>((k) =>
    k
      .selectFrom(sql`(select name from pragma_table_info(${name}))`.as('c'))
      .selectAll()
      .$castTo<{ name: string }>(),
  )
  const width = sql.join(
    columns.map((column) => sql`coalesce(length(${sql.ref(column.name)}), 0) + 1`),
    sql` + `,
  )
  const newest = wr === 0 ? sql`order by rowid desc` : sql``
  const mean = await numberFrom(
    db,
    sql`(select avg(w) as n from (select ${width} as w from ${table} ${newest} limit ${sampled}))`,
  )
  return { name, rows, bytes: rows * mean }
}

const numberFrom = async (db: Db, source: ReturnType<typeof sql>): Promise<number> => {
  const [row] = await db.select<{ n: number | null }>((k) =>
    k.selectFrom(source.as('s')).select(sql.ref('n').as('n')).$castTo<{ n: number | null }>(),
  )
  return row?.n ?? 0
}
