/** Sessions of PostgreSQL that hang or hold what others need cost seconds, and others go on. */
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Db } from '../../../../../control-plane/platform/store/database/db.ts'
import { migrate } from '../../../../../control-plane/platform/store/database/migrate.ts'
import {
  openPostgres,
  type PostgresOptions,
} from '../../../../../control-plane/platform/store/database/postgres.ts'
import { query } from '../../../../../control-plane/platform/store/database/query.ts'
import { storeErrorKind } from '../../../../../control-plane/platform/store/database/store-error.ts'
import { freshDatabaseUrl } from '../../../../support/databases.ts'

const insertAccount = query('test-held-insert', (k, p: { id: string }) =>
  k.insertInto('accounts').values({ id: p.id, name: 'a', created_at: 1, updated_at: null, doc: '{}' }),
)
const renameAccount = query('test-held-rename', (k, p: { id: string; name: string }) =>
  k.updateTable('accounts').set({ name: p.name }).where('id', '=', p.id),
)

const setUp = async (t: Test, options: PostgresOptions) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  const open = () => {
    const db = openPostgres(url, options)
    t.teardown(() => db.close())
    return db
  }
  const db = open()
  await migrate(db, 0)
  await db.run(insertAccount, { id: 'a' })
  return { db, open, url }
}

const settingOf = async (db: Pick<Db, 'select'>, name: string): Promise<string | undefined> => {
  const [row] = await db.select((k) => k.selectNoFrom(sql<string>`current_setting(${name})`.as('value')))
  return row?.value
}

const pidOf = async (db: Pick<Db, 'select'>): Promise<number> => {
  const [row] = await db.select((k) => k.selectNoFrom(sql<number>`pg_backend_pid()`.as('pid')))
  if (row === undefined) throw new Error('a backend has a number')
  return row.pid
}

t.test('every connection has its limits', async (t) => {
  const { db } = await setUp(t, {})
  t.equal(await settingOf(db, 'statement_timeout'), '10s')
  t.equal(await settingOf(db, 'lock_timeout'), '3s')
  t.equal(await settingOf(db, 'idle_in_transaction_session_timeout'), '5s')
  t.match(await settingOf(db, 'tcp_user_timeout'), /^30(s|000)$/)
})

t.test('a peer that froze in a transaction loses it, and its locks', async (t) => {
  const { db, open } = await setUp(t, {
    session: { idle_in_transaction_session_timeout: '200ms', lock_timeout: '20s', statement_timeout: '20s' },
  })
  const holds = Promise.withResolvers<void>()
  const thaws = Promise.withResolvers<void>()
  const frozen = open().transaction(async (trx) => {
    await trx.run(renameAccount, { id: 'a', name: 'frozen' })
    holds.resolve()
    await thaws.promise
    await trx.run(renameAccount, { id: 'a', name: 'thawed' })
  })
  await holds.promise
  t.equal(await db.run(renameAccount, { id: 'a', name: 'other' }), 1, 'the lock was free in time')
  thaws.resolve()
  await t.rejects(frozen)
  const [row] = await db.select((k) => k.selectFrom('accounts').select('name'))
  t.equal(row?.name, 'other')
})

t.test('what another holds for too long is an error of the store, not of the values', async (t) => {
  const { db, open } = await setUp(t, { session: { lock_timeout: '100ms' } })
  const holds = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const holding = open().transaction(async (trx) => {
    await trx.run(renameAccount, { id: 'a', name: 'held' })
    holds.resolve()
    await done.promise
  })
  await holds.promise
  const refused = await db.run(renameAccount, { id: 'a', name: 'other' }).catch((error: Error) => error)
  t.equal(storeErrorKind(refused), 'busy')
  done.resolve()
  await holding
})

t.test('connections whose backends hang are given up, in and outside of transactions', async (t) => {
  const { open } = await setUp(t, {})
  // Long enough for every answer that does come, however busy the machine is.
  const options = { answerWithinMs: 2000, poolSize: 2 }
  const { url } = await setUp(t, options)
  const db = openPostgres(url, options)
  t.teardown(() => db.close())
  const pids = new Set<number>()
  t.teardown(() => {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  })
  const hanging = db.transaction(async (trx) => {
    const pid = await pidOf(trx)
    pids.add(pid)
    process.kill(pid, 'SIGSTOP')
    await trx.run(renameAccount, { id: 'a', name: 'hangs' })
  })
  const error = await hanging.catch((reason: Error) => reason)
  t.equal(storeErrorKind(error), 'away')
  const idle = await pidOf(db)
  pids.add(idle)
  process.kill(idle, 'SIGSTOP')
  const alone = await db.run(renameAccount, { id: 'a', name: 'b' }).catch((reason: Error) => reason)
  t.equal(storeErrorKind(alone), 'away')
  t.equal(await settingOf(db, 'lock_timeout'), '3s', 'a new connection is made, and works')
  t.equal(await settingOf(open(), 'lock_timeout'), '3s')
})
