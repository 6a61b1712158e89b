import { setTimeout as sleep } from 'node:timers/promises'
import BetterSqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { migrate } from '../../../../../control-plane/platform/store/database/migrate.ts'
import { query } from '../../../../../control-plane/platform/store/database/query.ts'
import { openSqlite } from '../../../../../control-plane/platform/store/database/sqlite.ts'
import { freshDatabaseUrl } from '../../../../support/databases.ts'

const insertAccount = query('test-busy-insert', (k, p: { id: string }) =>
  k.insertInto('accounts').values({ id: p.id, name: 'a', created_at: 1, updated_at: null, doc: '{}' }),
)
const countAccounts = query('test-busy-count', (k, _: Record<string, never>) =>
  k.selectFrom('accounts').select('id'),
)

/** A store, and another program's connection to the same file. */
const setUp = async (t: Test, busyWithinMs: number) => {
  const file = (await freshDatabaseUrl(t, 'sqlite')).slice('sqlite:'.length)
  const db = openSqlite(file, { busyWithinMs })
  t.teardown(() => db.close())
  await migrate(db, 0)
  const other = new BetterSqlite(file)
  t.teardown(() => other.close())
  return { db, other }
}

t.test('a writer that another program keeps waiting holds up nothing else', async (t) => {
  const { db, other } = await setUp(t, 60_000)
  other.exec('begin immediate')
  const written = Promise.all(['a', 'b', 'c'].map((id) => db.run(insertAccount, { id })))
  let turns = 0
  // Every turn of the loop would have to wait for the lock if the driver did.
  while (turns < 20) {
    await sleep(5)
    t.strictSame(await db.all(countAccounts, {}), [], 'reading goes on')
    turns += 1
  }
  other.exec('rollback')
  t.strictSame(await written, [1, 1, 1])
  t.equal((await db.all(countAccounts, {})).length, 3)
})

t.test('a lock that stays is an error of the store after the time, which others have as well', async (t) => {
  const { db, other } = await setUp(t, 50)
  other.exec('begin immediate')
  const refused = ['a', 'b'].map((id) => t.rejects(db.run(insertAccount, { id }), { code: 'SQLITE_BUSY' }))
  await Promise.all(refused)
  other.exec('rollback')
  t.equal(await db.run(insertAccount, { id: 'a' }), 1, 'and later it works')
})
