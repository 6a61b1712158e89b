// Runs in test:all only: it makes a store for each case and starts both programs over it.
// Runs on both engines: it is the store itself.
/** A store that a newer version has migrated is refused in one sentence, by the store itself and by both programs. */
import t, { type Test } from 'tap'
import { migrationState } from '../../../../../control-plane/platform/store/database/applied-migrations.ts'
import type { Engine } from '../../../../../control-plane/platform/store/database/engines.ts'
import { migrate } from '../../../../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../../../../control-plane/platform/store/database/open.ts'
import { query } from '../../../../../control-plane/platform/store/database/query.ts'
import type { Tables } from '../../../../../control-plane/platform/store/database/tables.ts'
import { adminOf } from '../../../../support/admin-program.ts'
import { engineNames, freshDatabaseUrl } from '../../../../support/databases.ts'
import { scratchFolder, spawnControlPlane } from '../../../../support/programs.ts'

const recorded = query('test-record-migration', (k, p: { id: string }) =>
  k.insertInto('migrations' as keyof Tables).values({ id: p.id, applied_at: 1 } as never),
)
const sentence = (named: string): string =>
  `The store of DATABASE_URL was written by a newer version: it has ${named}, which this version does not know. Start that version, or restore a backup.`

const newerStore = async (t: Test, engine: Engine['name'], ids: string[]): Promise<string> => {
  const url = await freshDatabaseUrl(t, engine)
  const db = openDatabase(url)
  await migrate(db, 0)
  for (const id of ids) await db.run(recorded, { id })
  await db.close()
  return url
}

for (const engine of engineNames) {
  t.test(`migrations that this version does not know are refused (${engine})`, async (t) => {
    const one = openDatabase(await newerStore(t, engine, ['0042-foo']))
    t.teardown(() => one.close())
    await t.rejects(migrate(one, 1), { name: 'NewerStoreError', message: sentence('the migration 0042-foo') })
    t.strictSame((await migrationState(one)).unknown, ['0042-foo'])
    const two = openDatabase(await newerStore(t, engine, ['0042-foo', '0043-bar']))
    t.teardown(() => two.close())
    await t.rejects(migrate(two, 1), { message: sentence('the migrations 0042-foo, 0043-bar') })
  })

  t.test(`both programs say so and end with 1 (${engine})`, async (t) => {
    const url = await newerStore(t, engine, ['0042-foo'])
    const env = { DATABASE_URL: url, DATA_DIR: await scratchFolder(t), LOG_LEVEL: 'error' }
    const admin = await adminOf(env)('account', 'list')
    t.equal(admin.exitCode, 1)
    t.equal(admin.stderr, `watchpost: ${sentence('the migration 0042-foo')}\n`)
    const plane = spawnControlPlane({ dataDir: env.DATA_DIR, env })
    t.teardown(() => plane.end('SIGKILL'))
    t.equal(await plane.exitCode(), 1)
    t.equal(plane.output(), sentence('the migration 0042-foo'))
  })
}
