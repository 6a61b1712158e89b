/**
 * Migrated PostgreSQL databases for tests, handed from one test to the next: to create and migrate one takes most
 * of a second, to empty one a few milliseconds. The free ones are a table of the server's own database, so that all
 * processes of a run share them. What is handed out is exactly what migrations make: their rows alone, and the same schema.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine, engines } from '../../control-plane/platform/store/database/engines.ts'
import { migrations } from '../../control-plane/platform/store/database/migrations.ts'
import { openPostgres } from '../../control-plane/platform/store/database/postgres.ts'
import { type Ask, databaseUrl, newDatabaseName, postgresUrl, withConnection } from './postgres.ts'
import { prepareStore } from './prepare-store.ts'
import { testsBeginAt } from './tests-begin.ts'

/** `fingerprint` is what `readFingerprint` gave when the database was new. */
type Migrated = { name: string; fingerprint: string }

/** A table of this size is truncated: its dead rows would slow the next tests down. */
const truncatedBytes = 256 * 1024

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Engines whose rows differ have other tables. */
const schemaOf = (engine: Engine): string =>
  hashOf(JSON.stringify([engine, migrations.map(({ id, statements }) => [id, statements(engine)])]))

type Options = { leakPatienceMs?: number; engine?: Engine }

/** Rows that every store has from its first moment. */
const firstRowsOf = (engine: Engine): string[] =>
  migrations
    .flatMap(({ statements }) => statements(engine))
    .filter((statement) => /^insert into /i.test(statement))

/** A migrated database without other rows, for the test `t` alone until it ends. Returns its `postgres://` URL. */
export async function migratedPostgresDatabase(
  t: { teardown: (giveBack: () => Promise<void>) => void },
  { leakPatienceMs = 5000, engine = engines.postgres }: Options = {},
): Promise<string> {
  const server = await postgresUrl()
  const schema = schemaOf(engine)
  const database =
    (await withConnection(server, (ask) => takeFree(ask, schema))) ?? (await createMigrated(server, engine))
  t.teardown(() =>
    withConnection(server, async (ask) => {
      if (await isLeftAlone(ask, database.name, leakPatienceMs))
        return giveBack(server, ask, { ...database, schema, firstRows: firstRowsOf(engine) })
      await ask(`drop database ${database.name} with (force)`)
      throw new Error(`The database ${database.name} is still in use: the test left a connection open`)
    }),
  )
  return databaseUrl(server, database.name)
}

async function takeFree(ask: Ask, schema: string): Promise<Migrated | undefined> {
  const exists = "select to_regclass('free_databases') is not null as exists"
  if (!(await ask<{ exists: boolean }>(exists))[0]?.exists) return undefined
  const [free] = await ask<Migrated>(
    `delete from free_databases where name =
       (select name from free_databases where migrations = $1 limit 1 for update skip locked)
     returning name, fingerprint`,
    [schema],
  )
  return free
}

async function createMigrated(server: string, engine: Engine): Promise<Migrated> {
  const name = newDatabaseName()
  await withConnection(server, (ask) => ask(`create database ${name}`))
  const db = openPostgres(databaseUrl(server, name), { engine })
  await prepareStore(db, testsBeginAt).finally(() => db.close())
  return { name, fingerprint: await withConnection(databaseUrl(server, name), readFingerprint) }
}

/** Empties it for the next test. One whose schema was changed goes. */
async function giveBack(
  server: string,
  ask: Ask,
  { name, fingerprint, schema, firstRows }: Migrated & { schema: string; firstRows: string[] },
): Promise<void> {
  const found = await withConnection(databaseUrl(server, name), async (ask) => {
    await removeRows(ask)
    for (const insert of firstRows) await ask(insert)
    return readFingerprint(ask)
  })
  if (found !== fingerprint) {
    await ask(`drop database ${name}`)
    return
  }
  await createFreeList(ask)
  const insert = 'insert into free_databases (name, fingerprint, migrations) values ($1, $2, $3)'
  await ask(insert, [name, fingerprint, schema])
}

/** PostgreSQL needs a moment to notice that a client has gone. */
async function isLeftAlone(ask: Ask, name: string, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs
  const connected = 'select 1 from pg_stat_activity where datname = $1'
  while ((await ask(connected, [name])).length > 0) {
    if (performance.now() > deadline) return false
    await sleep(5)
  }
  return true
}

/** Of every table but `migrations` and `result_periods`, which belong to the schema. A delete is quicker than the new files of a truncate. */
async function removeRows(ask: Ask): Promise<void> {
  const tables = await ask<{ name: string; bytes: number }>(
    `select quote_ident(relname) as name, pg_relation_size(oid)::int as bytes from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not in ('migrations', 'result_periods')`,
  )
  const statements = tables
    .filter(({ bytes }) => bytes > 0)
    .map(({ name, bytes }) => (bytes > truncatedBytes ? `truncate ${name} cascade` : `delete from ${name}`))
  if (statements.length > 0) await ask(statements.join('; '))
}

/** A hash of all that a test could change but rows. Every change of a catalog's row gives it another `xmin`. */
async function readFingerprint(ask: Ask): Promise<string> {
  const ours = "(select oid from pg_class where relnamespace = 'public'::regnamespace)"
  const [row] = await ask<{ hash: string }>(`
    select md5(string_agg(part, ';' order by part)) as hash from (
      select concat_ws(' ', oid, relname, relkind) as part from pg_class
        where relnamespace = 'public'::regnamespace
      union all select concat_ws(' ', attrelid, attnum, xmin) from pg_attribute where attrelid in ${ours}
      union all select concat_ws(' ', oid, xmin) from pg_attrdef where adrelid in ${ours}
      union all select concat_ws(' ', indexrelid, xmin) from pg_index where indrelid in ${ours}
      union all select concat_ws(' ', oid, xmin) from pg_constraint where connamespace = 'public'::regnamespace
      union all select concat_ws(' ', oid, xmin) from pg_trigger where tgrelid in ${ours}
      union all select concat_ws(' ', oid, xmin) from pg_proc where pronamespace = 'public'::regnamespace
      union all select concat_ws(' ', id, applied_at) from migrations
      union all select concat_ws(' ', n, from_at, to_at, oldest_at, newest_at, packed_until, has_details, closed) from result_periods
    ) parts`)
  if (!row) throw new Error('PostgreSQL gave no fingerprint')
  return row.hash
}

/** Of two creations at once PostgreSQL may refuse one: what counts is that the table is there. */
async function createFreeList(ask: Ask): Promise<void> {
  const create =
    'create table if not exists free_databases (name text primary key, fingerprint text not null, migrations text not null)'
  await ask(create).catch(() => ask('select 1 from free_databases limit 1'))
}
