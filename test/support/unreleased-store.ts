import { sql } from 'kysely'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { change } from '../../control-plane/platform/store/database/raw-sql.ts'

/** As versions before the first release began: a record of migrations, and tables of the first of them. */
export const writeUnreleasedStore = async (url: string, accountId = 'a'): Promise<void> => {
  const db = openDatabase(url)
  for (const text of [
    'create table migrations (id text primary key, applied_at bigint not null)',
    "insert into migrations values ('0001-runs', 1), ('0002-members', 1), ('0043-latest-sessions', 2)",
    'create table accounts (id text primary key, name text not null, doc text not null)',
    `insert into accounts values ('${accountId}', 'Test', '{}')`,
  ])
    await change(db, sql.raw(text))
  await db.close()
}
