import { sql } from 'kysely'
import { type MigrateOptions, refuseOtherStore } from './applied-migrations.ts'
import { builderFor } from './builder.ts'
import type { Database, Db } from './db.ts'
import { clusteredMark } from './ddl.ts'
import type { Engine } from './engines.ts'
import { type Migration, migrations } from './migrations.ts'

/** A change of a large table takes its time. */
const unhurried = { unhurried: true }

/**
 * Brings the store to the newest schema and returns the ids it applied. Each migration and its record are one
 * transaction; two control planes starting at once are kept apart by the record's primary key.
 * @throws UnusableStoreError before anything is changed: the store is of a newer version, or of one before the first release
 */
export const migrate = async (
  db: Database,
  now: number,
  { known = migrations, moving = false }: MigrateOptions = {},
): Promise<string[]> => {
  await refuseOtherStore(db, { known, moving })
  await createRecord(db)
  const applied: string[] = []
  for (const migration of known) {
    const fresh = await db.transaction(async (trx) => {
      if (!(await takeRecord(trx, migration, now))) return false
      for (const text of textsOf(migration, trx.engine)) await statement(trx, text)
      return true
    }, unhurried)
    if (fresh) applied.push(migration.id)
  }
  return applied
}

/** Who comes second waits until the whole change of the first is there; what it changes itself must not make others wait. */
const takeRecord = async (trx: Db, { id }: Migration, now: number): Promise<boolean> => {
  const { lock_timeout: limit } = trx.engine.session
  if (limit !== undefined) await statement(trx, "set local lock_timeout = '60s'")
  const taken = await trx.execute(() =>
    sqlText(
      trx,
      sql`insert into migrations (id, applied_at) values (${id}, ${now}) on conflict (id) do nothing`,
    ),
  )
  if (limit !== undefined) await statement(trx, `set local lock_timeout = '${limit}'`)
  return taken > 0
}

/** Many statements are one round trip. */
const textsOf = ({ statements }: Migration, engine: Engine): string[] => {
  const texts = statements(engine).map((text) => text.replace(clusteredMark, engine.clustered))
  return engine.roundTrips ? [texts.join('; ')] : texts
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
