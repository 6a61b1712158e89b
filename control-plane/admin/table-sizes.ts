/**
 * How many rows each table has and how much it takes with its indexes, as the engine counts it: SQLite reads the file for it
 * once, table by table (dbstat); PostgreSQL knows bytes, and rows of large tables about so: small ones are counted.
 */
import { sql } from 'kysely'
import type { Db } from '../platform/store/database/db.ts'
import { serverTables } from '../platform/store/database/space.ts'

export type TableSize = { name: string; rows: number; bytes: number }

/** The largest first. `tell` is told of each table that is about to be read. */
export const tableSizes = async (db: Db, tell: (table: string) => void): Promise<TableSize[]> => {
  const sizes = db.engine.name === 'sqlite' ? await sizesOfFile(db, tell) : await sizesOfServer(db, tell)
  return sizes
    .map(({ name, rows, bytes }) => ({ name, rows, bytes }))
    .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
}

/** Of a table that is counted in a moment. */
const countedBytes = 64 * 1024 * 1024

const sizesOfServer = async (db: Db, tell: (table: string) => void): Promise<TableSize[]> => {
  const sizes: TableSize[] = []
  for (const { name, rows, bytes } of await serverTables(db)) {
    tell(name)
    sizes.push({ name, rows: bytes > countedBytes ? rows : await countOf(db, name), bytes })
  }
  return sizes
}

const countOf = async (db: Db, name: string): Promise<number> => {
  const [row] = await db.select<{ n: number }>((k) =>
    k
      .selectFrom(sql`(select count(*)::int as n from ${sql.table(name)})`.as('c'))
      .selectAll()
      .$castTo<{ n: number }>(),
  )
  return row?.n ?? 0
}

type FileTable = { name: string; wr: number }

const sizesOfFile = async (db: Db, tell: (table: string) => void): Promise<TableSize[]> => {
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
  for (const table of tables) {
    tell(table.name)
    sizes.push(await sizeOf(db, table))
  }
  return sizes
}

type Tree = { bytes: number; leaf_cells: number; cells: number }

/** A statement for each tree, so that no reader holds the log for long. */
const sizeOf = async (db: Db, { name, wr }: FileTable): Promise<TableSize> => {
  const indexes = await db.select<{ name: string }>((k) =>
    k
      .selectFrom(
        sql`(select name from sqlite_schema where type = 'index' and tbl_name = ${name} and rootpage > 0)`.as(
          'i',
        ),
      )
      .selectAll()
      .$castTo<{ name: string }>(),
  )
  const own = await treeOf(db, name)
  let { bytes } = own
  for (const index of indexes) bytes += (await treeOf(db, index.name)).bytes
  // Rows of a table without rowids are in inner pages, too.
  return { name, rows: wr === 1 ? own.cells : own.leaf_cells, bytes }
}

const treeOf = async (db: Db, name: string): Promise<Tree> => {
  const [tree] = await db.select<Tree>((k) =>
    k
      .selectFrom(
        sql`(select coalesce(sum(pgsize), 0) as bytes,
            coalesce(sum(case when pagetype = 'leaf' then ncell end), 0) as leaf_cells,
            coalesce(sum(case when pagetype <> 'overflow' then ncell end), 0) as cells
            from dbstat where name = ${name})`.as('s'),
      )
      .selectAll()
      .$castTo<Tree>(),
  )
  return tree ?? { bytes: 0, leaf_cells: 0, cells: 0 }
}
