/** The tables of results that are there, whatever is known of their periods. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { selectRows } from '../../../platform/store/database/raw-sql.ts'

export const periodTableNames = async (db: Db): Promise<string[]> => {
  const rows = await selectRows<{ name: string }>(
    db,
    db.engine.name === 'sqlite'
      ? sql`select name from sqlite_master where type = 'table' and name like 'result~_%' escape '~'`
      : sql`select relname::text as name from pg_class where relkind = 'r' and relname like 'result~_%' escape '~'
          and relnamespace = current_schema()::regnamespace`,
  )
  return rows.map(({ name }) => name)
}
