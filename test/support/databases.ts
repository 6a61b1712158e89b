/** The same test on every engine: SQLite in a file of its own, and a real PostgreSQL. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Database } from '../../control-plane/platform/database/db.ts'
import type { Engine } from '../../control-plane/platform/database/engines.ts'
import { migrate } from '../../control-plane/platform/database/migrate.ts'
import { openDatabase } from '../../control-plane/platform/database/open.ts'
import { freshPostgresDatabase } from './postgres.ts'

export const engineNames = ['sqlite', 'postgres'] as const

/** The URL of an empty database that is gone when the test ends. */
export const freshDatabaseUrl = async (test: Test, engine: Engine['name']): Promise<string> => {
  if (engine === 'postgres') return freshPostgresDatabase(test)
  const folder = await mkdtemp(join(tmpdir(), 'watchpost-test-'))
  test.teardown(() => rm(folder, { recursive: true, force: true }))
  return `sqlite:${join(folder, 'watchpost.db')}`
}

/** An empty, migrated database; closed and dropped when the test ends. */
export const freshDatabase = async (test: Test, engine: Engine['name']): Promise<Database> => {
  const db = openDatabase(await freshDatabaseUrl(test, engine))
  test.teardown(() => db.close())
  await migrate(db, 0)
  return db
}

/** Declares one test per engine. */
export const eachDatabase = (name: string, body: (test: Test, db: Database) => Promise<void>): void => {
  for (const engine of engineNames)
    t.test(`${name} (${engine})`, async (test) => body(test, await freshDatabase(test, engine)))
}
