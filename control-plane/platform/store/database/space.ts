/** How large a store is: what its rows take, and what is free for new ones. Instant on both engines. */
import { sql } from 'kysely'
import type { Db } from './db.ts'

export type Space = { usedBytes: number; freeBytes: number }

export const spaceOf = (db: Db, growing: readonly string[]): Promise<Space> =>
  db.engine.name === 'sqlite' ? spaceOfFile(db) : spaceOfServer(db, growing)

const spaceOfFile = async (db: Db): Promise<Space> => {
  const [row] = await db.select<{ pages: number; free: number; size: number }>((k) =>
    k
      .selectFrom([
        sql`pragma_page_count`.as('c'),
        sql`pragma_freelist_count`.as('f'),
        sql`pragma_page_size`.as('s'),
      ])
      .select([
        sql.ref('page_count').as('pages'),
        sql.ref('freelist_count').as('free'),
        sql.ref('page_size').as('size'),
      ])
      .$castTo<{ pages: number; free: number; size: number }>(),
  )
  const { pages = 0, free = 0, size = 0 } = row ?? {}
  return { usedBytes: (pages - free) * size, freeBytes: free * size }
}

/** Room in the files of PostgreSQL's tables is used again and never given back: what is live there is estimated. */
const spaceOfServer = async (db: Db, growing: readonly string[]): Promise<Space> => {
  const [row] = await db.select<{ bytes: number }>((k) =>
    k
      .selectFrom(sql`(select pg_database_size(current_database()) as bytes)`.as('d'))
      .select(sql.ref('bytes').as('bytes'))
      .$castTo<{ bytes: number }>(),
  )
  const tables = await serverTables(db)
  let freeBytes = 0
  for (const name of growing) {
    const table = tables.find((one) => one.name === name)
    if (table === undefined || table.bytes < worthALook) continue
    freeBytes += Math.max(0, table.bytes - (await liveBytes(db, table)))
  }
  return { usedBytes: (row?.bytes ?? 0) - freeBytes, freeBytes }
}

const worthALook = 16 * 1024 * 1024

type ServerTable = { name: string; bytes: number; heap_bytes: number; rows: number }

/** By PostgreSQL's own statistics: sizes are true, rows about so; after a crash it knows those that it saw last. */
export const serverTables = (db: Db): Promise<ServerTable[]> =>
  db.select<ServerTable>((k) =>
    k
      .selectFrom(
        sql`(select pg_class.relname::text as name, pg_total_relation_size(relid) as bytes,
            pg_table_size(relid) as heap_bytes,
            case when n_live_tup > 0 then n_live_tup else greatest(reltuples, 0)::bigint end as rows
            from pg_stat_user_tables join pg_class on pg_class.oid = relid where schemaname = current_schema())`.as(
          't',
        ),
      )
      .selectAll()
      .$castTo<ServerTable>(),
  )

/** Of a row beside its columns: header and pointer. */
const rowOverhead = 28
const sampled = 500

/** Rows by the size of the newest ones, and their indexes in proportion. Old rows are shorter: never too little. */
const liveBytes = async (db: Db, { name, bytes, heap_bytes, rows }: ServerTable): Promise<number> => {
  // Rollups have no id that grows: some pages of them, of all that there are.
  const percent = Math.min(100, (100 * 4 * sampled) / Math.max(1, rows))
  const some = name === 'result_rollups' ? sql`tablesample system (${percent})` : sql`order by id desc`
  const [row] = await db.select<{ width: number | null }>((k) =>
    k
      .selectFrom(
        sql`(select pg_column_size(t.*) as width from ${sql.table(name)} t ${some} limit ${sampled})`.as('s'),
      )
      .select(sql`avg(width)`.as('width'))
      .$castTo<{ width: number | null }>(),
  )
  const width = Number(row?.width ?? 0) + rowOverhead
  return Math.min(bytes, rows * width * (bytes / Math.max(1, heap_bytes)))
}
