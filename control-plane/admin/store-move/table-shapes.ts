/** The tables of a store as its engine's own catalogue has them: the same on both, but for how ids and bytes are kept. */
import { sql } from 'kysely'
import type { Db } from '../../platform/store/database/db.ts'
import { selectRows } from '../../platform/store/database/raw-sql.ts'

/** `uuid`: 16 bytes that PostgreSQL shows as text. */
export type ColumnKind = 'plain' | 'bytes' | 'uuid'

export type TableShape = {
  name: string
  /** By name, in the same order on every engine. */
  columns: readonly { name: string; kind: ColumnKind }[]
  /** What tells its rows apart, in the order of the index: tables are walked along it. */
  key: readonly string[]
}

/** `keyed`: its place in the key, from 1; 0 for a column that is not part of it. */
type CatalogueColumn = { table_name: string; name: string; type: string; keyed: number }

const ofFile = sql`select t.name as table_name, c.name as name, lower(c.type) as type,
    coalesce(nullif(c.pk, 0), (select k.seqno + 1 from pragma_index_list(t.name) i, pragma_index_info(i.name) k
      where i."unique" = 1 and i.partial = 0 and k.name = c.name
        and not exists (select 1 from pragma_table_info(t.name) p where p.pk > 0) limit 1), 0) as keyed
  from sqlite_master t, pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite~_%' escape '~'`

/** A partition is a table of its own; the table that has only partitions holds no rows. */
const ofServer = sql`select t.relname::text as table_name, a.attname::text as name, y.typname::text as type,
    coalesce((select array_position(i.indkey::int2[], a.attnum) + 1 - array_lower(i.indkey::int2[], 1)
      from pg_index i where i.indrelid = t.oid and i.indisunique and i.indpred is null
      order by i.indisprimary desc, i.indexrelid limit 1), 0) as keyed
  from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    join pg_type y on y.oid = a.atttypid
  where t.relkind = 'r' and t.relnamespace = current_schema()::regnamespace`

const kinds: Readonly<Record<string, ColumnKind>> = { blob: 'bytes', bytea: 'bytes', uuid: 'uuid' }

export const tableShapes = async (db: Db): Promise<TableShape[]> => {
  const columns = await selectRows<CatalogueColumn>(db, db.engine.name === 'sqlite' ? ofFile : ofServer)
  const tables = Map.groupBy(columns, ({ table_name: table }) => table)
  return [...tables]
    .map(([name, ofTable]) => shapeOf(name, ofTable))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

const shapeOf = (name: string, columns: readonly CatalogueColumn[]): TableShape => ({
  name,
  columns: columns
    .map((column) => ({ name: column.name, kind: kinds[column.type] ?? 'plain' }))
    .sort((a, b) => (a.name < b.name ? -1 : 1)),
  key: columns
    .filter(({ keyed }) => keyed > 0)
    .sort((a, b) => a.keyed - b.keyed)
    .map((column) => column.name),
})
