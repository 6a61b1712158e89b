// Runs in test:all only: it stops the processes of a database server of its own.
/**
 * PostgreSQL is frozen, or waits for a standby that is gone: visitors of status pages see what was known, people in the
 * dashboard are told within two seconds, and readiness says what is wrong.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { realClock } from '../../agent/program/real-io.ts'
import { makePeriods } from '../../control-plane/monitoring/results/stored/make-periods.ts'
import { aliveTick } from '../../control-plane/monitoring/runs/recover.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { migrate } from '../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { change } from '../../control-plane/platform/store/database/raw-sql.ts'
import { testApp } from '../support/app.ts'
import { shownPage } from '../support/shown-page.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { until } from '../support/until.ts'
import { signedIn } from '../support/visitor.ts'

/** Of the server's first process and those below it. */
const processesOf = (pid: number): number[] => [
  pid,
  ...readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      return /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1] === String(pid)
        ? [Number(name)]
        : []
    } catch {
      return []
    }
  }),
]

const signal = (pids: readonly number[], name: 'SIGSTOP' | 'SIGCONT'): void => {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
}

const setUp = async (t: Test) => {
  const postgres = await startPostgres({ durable: true })
  t.teardown(postgres.stop)
  const db = openDatabase(postgres.url)
  const clock = realClock()
  await migrate(db, clock.now())
  await makePeriods(db, { now: clock.now() })
  const plane = await testApp(t, { parts: { db, clock } })
  t.teardown(() => db.close())
  const readiness = () => plane.call('GET', '/-/readiness', { key: null })
  return { postgres, db, plane, readiness }
}

t.test('a database that is frozen', { skip: process.platform !== 'linux' && 'it reads /proc' }, async (t) => {
  const { postgres, plane, readiness } = await setUp(t)
  const { incidents } = await shownPage(plane)
  const visitor = await signedIn(t, plane)
  t.equal((await visitor.get('/app')).status, 200)
  t.equal((await visitor.get('/status/acme')).status, 200)
  const pids = processesOf(postgres.pid)
  t.teardown(() => signal(pids, 'SIGCONT'))
  signal(pids, 'SIGSTOP')
  const from = performance.now()
  const told = await visitor.get('/app')
  const tookMs = performance.now() - from
  t.equal(told.status, 503)
  t.match(told.text, /The store does not answer[\s\S]*Nothing can be shown or changed until it is back/)
  t.ok(tookMs < 10_000, 'before connections are given up')
  const paths = ['', '/feed.atom', '/feed.json', ...incidents.map((id) => `/incidents/${id}`)]
  for (const path of paths) t.equal((await visitor.get(`/status/acme${path}`)).status, 200, path)
  t.comment(`the dashboard said so after ${Math.round(tookMs)} ms; ${paths.length} pages from memory`)
  signal(pids, 'SIGCONT')
  await until('readiness', async () => (await readiness()).status === 200)
  await until('the dashboard', async () => (await visitor.get('/app')).status === 200)
  const said = plane.logged.filter(({ msg }) => String(msg).startsWith('The store cannot be reached'))
  t.equal(said.length, 1, 'it is said once')
})

const standbys = async (db: Database, names: string): Promise<void> => {
  await change(db, sql.raw(`alter system set synchronous_standby_names = '${names}'`))
  await db.select((k) => k.selectNoFrom(sql`pg_reload_conf()`.as('reloaded')))
}

t.test('a synchronous standby that is gone', async (t) => {
  const { postgres, plane, readiness } = await setUp(t)
  const operator = openDatabase(postgres.url)
  t.teardown(() => operator.close())
  await aliveTick(plane.app)
  t.equal((await readiness()).status, 200)
  await standbys(operator, 'gone')
  // The server's processes learn of the setting one after the other: until the one that decides has, commits go on.
  let hanging: Promise<unknown> | null = null
  await until('readiness', async () => {
    hanging ??= aliveTick(plane.app)
      .catch((error: unknown) => error)
      .finally(() => {
        hanging = null
      })
    const { status, body } = await readiness()
    return status === 503 && body.status === 'store does not commit'
  })
  t.pass('what is read is answered, and what is written waits: readiness says so')
  await hanging
  t.match((await readiness()).body, { status: 'store does not commit' }, 'also once the wait is given up')
  await standbys(operator, '')
  await until('a sign of life', async () => {
    await aliveTick(plane.app).catch(() => undefined)
    return (await readiness()).status === 200
  })
})
