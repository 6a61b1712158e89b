/** The same test on every engine: SQLite in a file of its own, and a real PostgreSQL. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { type Engine, engines } from '../../control-plane/platform/store/database/engines.ts'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { openPostgres } from '../../control-plane/platform/store/database/postgres.ts'
import type { StatementWatch } from '../../control-plane/platform/store/database/statement-watch.ts'
import { enginesVariable } from './length.ts'
import { migratedPostgresDatabase } from './migrated-postgres.ts'
import { freshPostgresDatabase } from './postgres.ts'
import { prepareStore } from './prepare-store.ts'
import { seenOn } from './seen-statements.ts'
import { testsBeginAt } from './tests-begin.ts'

/** The engines that tests of this process run on. */
export const engineNames: readonly Engine['name'][] = (['sqlite', 'postgres'] as const).filter((name) =>
  (process.env[enginesVariable] ?? name).split(',').includes(name),
)

const temporaryFolder = () => mkdtemp(join(tmpdir(), 'watchpost-test-'))

/** The file of a migrated SQLite store, made once in this process. */
const migratedSqlite: { bytes?: Promise<Buffer> } = {}

const makeMigratedSqlite = async (): Promise<Buffer> => {
  const folder = await temporaryFolder()
  const file = join(folder, 'watchpost.db')
  const db = openDatabase(`sqlite:${file}`)
  await prepareStore(db, testsBeginAt).finally(() => db.close())
  return readFile(file).finally(() => rm(folder, { recursive: true, force: true }))
}

const sqliteUrl = async (test: Test): Promise<string> => {
  const folder = await temporaryFolder()
  test.teardown(() => rm(folder, { recursive: true, force: true }))
  return `sqlite:${join(folder, 'watchpost.db')}`
}

const migratedSqliteUrl = async (test: Test): Promise<string> => {
  migratedSqlite.bytes ??= makeMigratedSqlite()
  const url = await sqliteUrl(test)
  await writeFile(url.slice('sqlite:'.length), await migratedSqlite.bytes)
  return url
}

/** The URL of a database without a schema that is gone when the test ends. */
export const freshDatabaseUrl = (test: Test, engine: Engine['name']): Promise<string> =>
  engine === 'postgres' ? freshPostgresDatabase(test) : sqliteUrl(test)

/** A row of an engine that speaks PostgreSQL's protocol and can do less, for the tests that this process runs. */
export const engineRowVariable = 'TEST_POSTGRES_ENGINE_ROW'

const describedEngine = (): Engine | undefined => {
  const differences = process.env[engineRowVariable]
  return differences === undefined ? undefined : { ...engines.postgres, ...JSON.parse(differences) }
}

const freshDescribed = async (
  test: Test,
  options: { engine: Engine; watch: StatementWatch },
): Promise<Database> => {
  const db = openPostgres(await migratedPostgresDatabase(test, options), options)
  test.teardown(() => db.close())
  return db
}

/** An empty, migrated database for this test alone; closed when it ends. */
export const freshDatabase = async (
  test: Test,
  engine: Engine['name'],
  watch: StatementWatch = seenOn(engine),
): Promise<Database> => {
  const described = engine === 'postgres' ? describedEngine() : undefined
  if (described !== undefined) return freshDescribed(test, { engine: described, watch })
  const db = openDatabase(
    await (engine === 'postgres' ? migratedPostgresDatabase(test) : migratedSqliteUrl(test)),
    watch,
  )
  test.teardown(() => db.close())
  return db
}

/** Declares one test per engine. */
export const eachDatabase = (name: string, body: (test: Test, db: Database) => Promise<void>): void => {
  for (const engine of engineNames)
    t.test(`${name} (${engine})`, async (test) => body(test, await freshDatabase(test, engine)))
}
