// Runs in test:all only: it starts servers of its own.
/** A real streaming replica: what is read there, how its lag is measured, and what the primary answers instead. */
import { sql } from 'kysely'
import pino from 'pino'
import t, { type Test } from 'tap'
import { metricGroups } from '../../../../../control-plane/metrics.ts'
import { makePeriods } from '../../../../../control-plane/monitoring/results/stored/make-periods.ts'
import { createMetrics } from '../../../../../control-plane/platform/app/metrics.ts'
import { openStore, readReplicaTick } from '../../../../../control-plane/platform/app/open-store.ts'
import { migrate } from '../../../../../control-plane/platform/store/database/migrate.ts'
import { selectRows } from '../../../../../control-plane/platform/store/database/raw-sql.ts'
import { unwatched } from '../../../../../control-plane/platform/store/database/statement-watch.ts'
import { readConfig } from '../../../../../control-plane/read-config.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { sessionOf, visitPage } from '../../../../support/dashboard.ts'
import { binariesOf, oldestPostgres } from '../../../../support/installed-postgres.ts'
import { withConnection } from '../../../../support/postgres.ts'
import { startPostgres } from '../../../../support/start-postgres.ts'
import { testsBeginAt } from '../../../../support/tests-begin.ts'
import { until } from '../../../../support/until.ts'

const binaries = binariesOf(oldestPostgres)
const skip = binaries === null ? `PostgreSQL ${oldestPostgres} is not installed` : false
const lagHeader = 'watchpost-replica-lag-seconds'
const maxLagSeconds = 20

const setUp = async (t: Test) => {
  const primary = await startPostgres({ binaries: String(binaries) })
  t.teardown(primary.stop)
  const replica = await startPostgres({ binaries: String(binaries), replicaOf: primary.url })
  t.teardown(replica.stop)
  const time = { now: 0 }
  const logged: string[] = []
  const metrics = createMetrics(metricGroups)
  const config = readConfig({
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: replica.url,
    DATABASE_READ_MAX_LAG_SECONDS: String(maxLagSeconds),
  })
  const log = pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line).msg) })
  const clock = {
    now: () => testsBeginAt + time.now,
    monotonic: () => time.now,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
  }
  const opened = openStore({ config, log, metrics, watch: unwatched, monotonic: clock.monotonic })
  t.teardown(() => opened.db.close())
  await migrate(opened.db, testsBeginAt)
  await makePeriods(opened.db, { now: testsBeginAt })
  const plane = await testApp(t, { parts: { ...opened, metrics, clock } })
  const advance = (seconds: number): void => {
    time.now += seconds * 1000
  }
  const measure = () => readReplicaTick(plane.app)
  /** The replica has everything that is written now. */
  const catchUp = async (): Promise<void> => {
    await until('the replica', async () => {
      advance(1)
      await measure()
      return opened.readReplica?.lagMs() === 0
    })
    advance(1)
  }
  const onReplica = (statement: string) => withConnection(replica.url, (ask) => ask(statement))
  const standStill = async (): Promise<void> => {
    await onReplica('select pg_wal_replay_pause()')
    await until('the replica stands', async () => {
      const [row] = await onReplica('select pg_get_wal_replay_pause_state() as state')
      return row?.['state'] === 'paused'
    })
  }
  return { replica, plane, logged, metrics, advance, measure, catchUp, onReplica, standStill }
}

const createCheck = async ({ call }: TestApp, name: string): Promise<string> => {
  const { body } = await call('POST', '/v1/checks/url', {
    body: { name, request: { url: 'https://example.com/' } },
  })
  return body.id
}

/** Names of checks by a list that may lag. */
const namesAsked = async ({ call }: TestApp) => {
  const answer = await call('GET', '/v1/reporting')
  return {
    names: answer.body.map(({ name }: { name: string }) => name).sort(),
    lag: answer.headers.get(lagHeader),
  }
}

t.test('a read replica', { skip }, async (t) => {
  const { replica, plane, logged, metrics, advance, measure, catchUp, onReplica, standStill } = await setUp(t)
  await createCheck(plane, 'first')
  t.strictSame(await namesAsked(plane), { names: ['first'], lag: null }, 'nobody has measured it yet')
  await catchUp()
  t.strictSame(
    await namesAsked(plane),
    { names: ['first'], lag: '1.0' },
    'the replica answers, and says how old it is',
  )
  t.equal(
    (await plane.call('GET', '/v1/checks')).headers.get(lagHeader),
    null,
    'what must be new is the primary’s',
  )

  await t.test(
    'one that stands still shows what it has, but not to whoever changed something since',
    async (t) => {
      await standStill()
      const id = await createCheck(plane, 'second')
      t.strictSame(
        await namesAsked(plane),
        { names: ['first', 'second'], lag: null },
        'what was written is read',
      )
      const other = await plane.addKey()
      const result = await plane.call('GET', `/v2/check-results/${id}`, { key: other.apiKey })
      t.equal(result.status, 404)
      advance(3)
      await measure()
      t.strictSame(
        await namesAsked(plane),
        { names: ['first', 'second'], lag: null },
        'as long as it has not got it',
      )
      const elsewhere = await plane.call('GET', '/v1/reporting', { key: other.apiKey })
      t.match(elsewhere.headers.get(lagHeader), /^[3-9]\.\d$/, 'others read there')
      t.match(
        await metrics.getSingleMetricAsString('watchpost_read_replica_lag_seconds'),
        /seconds [3-9](\.\d+)?$/m,
      )
    },
  )

  await t.test('one that is too far behind answers nothing', async (t) => {
    // It may have been said before, as the replica began, and is said once a minute.
    advance(maxLagSeconds + 60)
    const other = await plane.addKey()
    t.equal((await plane.call('GET', '/v1/reporting', { key: other.apiKey })).headers.get(lagHeader), null)
    await measure()
    t.match(logged.at(-1), /further behind than DATABASE_READ_MAX_LAG_SECONDS/)
    t.match(await metrics.getSingleMetricAsString('watchpost_read_replica_usable'), /usable 0$/m)
    await onReplica('select pg_wal_replay_resume()')
    await catchUp()
    t.strictSame(await namesAsked(plane), { names: ['first', 'second'], lag: '1.0' })
  })

  await t.test('a page says that it is old, where that can be noticed', async (t) => {
    const cookie = await sessionOf(plane)
    await standStill()
    const textOf = async (path: string) => (await visitPage(plane, cookie, path)).text
    t.notMatch(await textOf('/app/reports'), /seconds old/)
    advance(8)
    t.match(await textOf('/app/reports'), /This page is up to 9 seconds old/)
    t.notMatch(await textOf('/app/account'), /seconds old/)
    await onReplica('select pg_wal_replay_resume()')
    await catchUp()
  })

  await t.test('one that goes away is not missed, is said once, and comes back', async (t) => {
    const before = logged.length
    await replica.goAway()
    t.strictSame(
      await namesAsked(plane),
      { names: ['first', 'second'], lag: null },
      'in the middle of a request',
    )
    await measure()
    await measure()
    t.match(logged.slice(before), [/cannot be asked: the primary answers everything/])
    t.equal(logged.length, before + 1)
    await replica.comeBack()
    await catchUp()
    t.equal((await namesAsked(plane)).lag, '1.0')
    t.match(
      await metrics.getSingleMetricAsString('watchpost_read_replica_statements_total'),
      /server="replica"\} [1-9]/,
    )
  })

  await t.test('nothing can be written there', async (t) => {
    const { readReplica } = plane.app
    const [row] = await selectRows<{ standby: boolean }>(
      readReplica?.db ?? plane.app.db,
      sql`select pg_is_in_recovery() as standby`,
    )
    t.equal(row?.standby, true)
  })
})

t.test('settings of a replica that cannot be meant', async (t) => {
  const refused: [Record<string, string>, RegExp][] = [
    [{ DATABASE_READ_URL: 'postgres://two/watchpost' }, /DATABASE_READ_URL is a replica of DATABASE_URL/],
    [
      { DATABASE_URL: 'postgres://one/watchpost', DATABASE_READ_URL: 'postgres://two,three/watchpost' },
      /DATABASE_READ_URL names one host/,
    ],
    [
      {
        DATABASE_URL: 'postgres://one/watchpost',
        DATABASE_READ_URL: 'postgres://two/watchpost',
        DATABASE_READ_MAX_LAG_SECONDS: '0',
      },
      /DATABASE_READ_MAX_LAG_SECONDS must be a number of seconds/,
    ],
  ]
  for (const [env, message] of refused) t.throws(() => readConfig(env), { message })
})
