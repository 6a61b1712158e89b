import { sql } from 'kysely'
import { type NewerStoreOptions, refuseNewerStore } from './applied-migrations.ts'
import { builderFor } from './builder.ts'
import type { Database, Db } from './db.ts'
import { clusteredMark } from './ddl.ts'
import { migrations } from './migrations/index.ts'

/** A change of a large table takes its time. */
const unhurried = { unhurried: true }

/**
 * Brings the store to the newest schema and returns the ids it applied. Each migration and its record are one
 * transaction; two control planes starting at once are kept apart by the record's primary key.
 * @throws NewerStoreError before anything is changed
 */
export const migrate = async (
  db: Database,
  now: number,
  options: NewerStoreOptions = {},
): Promise<string[]> => {
  await createRecord(db)
  await refuseNewerStore(db, options)
  const applied: string[] = []
  for (const migration of migrations) {
    const fresh = await db.transaction(async (trx) => {
      const taken = await trx.execute(() =>
        sqlText(
          trx,
          sql`insert into migrations (id, applied_at) values (${migration.id}, ${now}) on conflict (id) do nothing`,
        ),
      )
      if (taken === 0) return false
      for (const text of migration.statements)
        await statement(trx, text.replace(clusteredMark, trx.engine.clustered))
      await migration.rewrite?.(trx)
      return true
    }, unhurried)
    if (fresh) applied.push(migration.id)
  }
  return applied
}

/** PostgreSQL may refuse the loser of two creations at once: what counts is that the table is there afterwards. */
const createRecord = async (db: Database): Promise<void> => {
  const create = 'create table if not exists migrations (id text primary key, applied_at bigint not null)'
  await statement(db, create).catch(async (error: unknown) => {
    await db
      .select(() => sqlText(db, sql`select id from migrations limit 1`))
      .catch(() => {
        throw error
      })
  })
}

const statement = (db: Db, text: string): Promise<number> => db.execute(() => sqlText(db, sql.raw(text)))

const sqlText = (db: Db, raw: ReturnType<typeof sql>) => ({
  compile: () => raw.compile(builderFor(db.engine)),
})
