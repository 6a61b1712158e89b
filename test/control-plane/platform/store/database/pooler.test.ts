// Runs in test:all only: it starts servers of its own.
/** Behind a real PgBouncer: in transaction mode each transaction may have another connection of the server. */
import { sql } from 'kysely'
import t from 'tap'
import { dropEndedTables } from '../../../../../control-plane/monitoring/results/stored/drop-periods.ts'
import { makePeriods } from '../../../../../control-plane/monitoring/results/stored/make-periods.ts'
import { migrate } from '../../../../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../../../../control-plane/platform/store/database/open.ts'
import { query } from '../../../../../control-plane/platform/store/database/query.ts'
import { selectRows } from '../../../../../control-plane/platform/store/database/raw-sql.ts'
import { storeErrorKind } from '../../../../../control-plane/platform/store/database/store-error.ts'
import { testApp } from '../../../../support/app.ts'
import { byLength } from '../../../../support/length.ts'
import { databaseUrl, withConnection } from '../../../../support/postgres.ts'
import { pooledUrl, withoutPgbouncer } from '../../../../support/start-pgbouncer.ts'
import { startPostgres } from '../../../../support/start-postgres.ts'
import { testsBeginAt } from '../../../../support/tests-begin.ts'
import { until } from '../../../../support/until.ts'

const backend = query('test-pooler-backend', (k, _: Record<string, never>) =>
  k.selectNoFrom([
    sql<number>`pg_backend_pid()`.as('pid'),
    sql<string>`current_setting('statement_timeout')`.as('timeout'),
  ]),
)

/** Made and read at once: many times the connections that a pooler has in transaction mode. */
const checks = byLength({ short: 20, all: 20, long: 60 })

const modes = ['transaction', 'session'] as const
const cases = modes.flatMap((mode) => [null, mode].map((said) => ({ mode, said })))

t.test('a control plane behind PgBouncer', { skip: withoutPgbouncer }, async (t) => {
  const postgres = await startPostgres()
  t.teardown(postgres.stop)
  // Before anybody is connected through a pooler, which would keep the database in use.
  const databases = cases.map((_, at) => `pooled_${at}`)
  await withConnection(postgres.url, async (ask) => {
    for (const name of databases) await ask(`create database ${name}`)
  })
  for (const [at, { mode, said }] of cases.entries())
    await t.test(`in ${mode} mode, ${said === null ? 'found out' : 'as it is said'}`, async (t) => {
      const direct = databaseUrl(postgres.url, databases[at] ?? '')
      // In session mode a connection of ours has one of the server's for itself.
      const url = await pooledUrl(t, direct, { mode, connections: mode === 'session' ? 30 : 3 })
      const db = openDatabase(url, undefined, said)
      t.teardown(() => db.close())
      await migrate(db, testsBeginAt)
      await makePeriods(db, { now: testsBeginAt })
      const plane = await testApp(t, { parts: { db } })
      const made = await Promise.all(
        Array.from({ length: checks }, (_, position) =>
          plane.call('POST', '/v1/checks/url', {
            body: { name: `check ${position}`, request: { url: 'https://example.com/' } },
          }),
        ),
      )
      t.ok(
        made.every(({ status }) => status === 201),
        'every write is done',
      )
      const read = await Promise.all(made.map(({ body }) => plane.call('GET', `/v1/checks/${body.id}`)))
      t.ok(
        read.every(({ status }) => status === 200),
        'every read is answered',
      )
      t.equal((await plane.call('GET', '/v1/checks?limit=100')).body.length, checks)
      t.equal((await plane.call('GET', '/-/readiness', { key: null })).status, 200)

      const alone = await Promise.all(Array.from({ length: 50 }, () => db.get(backend, {})))
      t.strictSame(
        [...new Set(alone.map((row) => row?.timeout))],
        ['10s'],
        'a statement alone has our settings',
      )
      const inside = await db.transaction(async (trx) => {
        const one = await trx.get(backend, {})
        const [two] = await selectRows<{ pid: number; timeout: string }>(
          trx,
          sql`select pg_backend_pid() as pid, current_setting('lock_timeout') as timeout`,
        )
        return { one, two }
      })
      t.equal(inside.one?.pid, inside.two?.pid)
      t.equal(inside.two?.timeout, '3s')
      await db.select((k) => k.deleteFrom('result_periods').where('n', '=', 1).returning('n'))
      await dropEndedTables(plane.app, new AbortController().signal)
      const left = await selectRows(
        db,
        sql`select to_regclass('result_rows_1') as found where to_regclass('result_rows_1') is not null`,
      )
      t.strictSame(left, [], 'the partitions of a period that is over are gone')
      if (mode === 'session') return
      const strangers = await withConnection(url, (ask) => ask('show statement_timeout'))
      t.strictSame(strangers, [{ statement_timeout: '0' }], 'nobody else has them')
      t.ok(new Set(alone.map((row) => row?.pid)).size <= 3, 'no more connections than the pooler has')
    })

  await t.test('with a server that goes away and comes back', async (t) => {
    const db = openDatabase(await pooledUrl(t, postgres.url, { mode: 'transaction' }))
    t.teardown(() => db.close())
    await db.get(backend, {})
    await postgres.goAway()
    const failure = await db.get(backend, {}).catch((error: unknown) => error)
    t.equal(storeErrorKind(failure), 'away')
    await postgres.comeBack()
    await until('the store', () =>
      db.get(backend, {}).then(
        () => true,
        () => false,
      ),
    )
  })

  await t.test('in transaction mode, where it is said to be in session mode', async (t) => {
    const db = openDatabase(await pooledUrl(t, postgres.url, { mode: 'transaction' }), undefined, 'session')
    t.teardown(() => db.close())
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => db.get(backend, {})))
    t.ok(
      outcomes.some((one) => one.status === 'rejected' || one.value?.timeout !== '10s'),
      'prepared statements of others, or no settings of ours: what happens without the above',
    )
  })
})
