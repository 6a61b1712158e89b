// Runs in test:all only: it makes a store for each case and starts both programs over it.
// Runs on both engines: each has a catalogue of its own.
/** A store that a version before the first release made is refused in one sentence by both programs, and stays as it is. */
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Engine } from '../../../../../control-plane/platform/store/database/engines.ts'
import { migrate } from '../../../../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../../../../control-plane/platform/store/database/open.ts'
import { selectRows } from '../../../../../control-plane/platform/store/database/raw-sql.ts'
import { adminHere } from '../../../../support/admin-here.ts'
import { adminOf } from '../../../../support/admin-program.ts'
import { engineNames, freshDatabaseUrl } from '../../../../support/databases.ts'
import { scratchFolder, spawnControlPlane } from '../../../../support/programs.ts'
import { writeUnreleasedStore } from '../../../../support/unreleased-store.ts'

const sentence =
  'The store of DATABASE_URL was made by a version before the first release, which this version cannot read: start with an empty DATA_DIR (and on PostgreSQL an empty database), and export what you want to keep with the version that made it; nothing was changed.'

const unreleasedStore = async (t: Test, engine: Engine['name']): Promise<string> => {
  const url = await freshDatabaseUrl(t, engine)
  await writeUnreleasedStore(url)
  return url
}

const tablesOf = {
  sqlite: sql`select name, sql from sqlite_master order by name`,
  postgres: sql`select table_name, column_name from information_schema.columns where table_schema = 'public' order by 1, 2`,
}

const stateOf = async (url: string): Promise<unknown> => {
  const db = openDatabase(url)
  const tables = await selectRows(db, tablesOf[db.engine.name])
  const migrations = await selectRows(db, sql`select * from migrations order by id`)
  const accounts = await selectRows(db, sql`select * from accounts`)
  await db.close()
  return { tables, migrations, accounts }
}

for (const engine of engineNames)
  t.test(`it is refused, and nothing is changed (${engine})`, async (t) => {
    const url = await unreleasedStore(t, engine)
    const before = await stateOf(url)
    const db = openDatabase(url)
    await t.rejects(migrate(db, 1), { name: 'UnusableStoreError', message: sentence })
    await db.close()
    const env = { DATABASE_URL: url, DATA_DIR: await scratchFolder(t), LOG_LEVEL: 'error' }
    const target = `sqlite:${env.DATA_DIR}/elsewhere.db`
    const commands = [
      ['store', 'move', '--to', target],
      ['account', 'list'],
      ['status', 'export', '--page', 'x', env.DATA_DIR],
    ]
    const refusals = [{ admin: adminOf, words: ['check'] }]
    for (const words of commands) refusals.push({ admin: adminHere, words })
    for (const { admin, words } of refusals) {
      const { exitCode, stderr } = await admin(env)(...words)
      t.strictSame([exitCode, stderr], [1, `watchpost: ${sentence}\n`], words.join(' '))
    }
    const plane = spawnControlPlane({ dataDir: env.DATA_DIR, env })
    t.teardown(() => plane.end('SIGKILL'))
    t.equal(await plane.exitCode(), 1)
    t.equal(plane.output(), sentence)
    t.strictSame(await stateOf(url), before)
  })
