// Runs on both engines: rows are left out where others hold them.
/** However many jobs wait, the sweep looks at some thousands of them in a turn, and at all of them in the turns that follow. */
import BetterSqlite from 'better-sqlite3'
import t from 'tap'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import {
  endOfWaitingSlice,
  takeExpiredJobs,
  takeOverlappedJobs,
} from '../../../../control-plane/monitoring/runs/waiting-jobs.ts'
import { insertJob } from '../../../../control-plane/monitoring/schedule/job-queries.ts'
import { newJob, scheduled } from '../../../../control-plane/monitoring/schedule/new-job.ts'
import { engines } from '../../../../control-plane/platform/store/database/engines.ts'
import { migrate } from '../../../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../../../control-plane/platform/store/database/open.ts'
import { query } from '../../../../control-plane/platform/store/database/query.ts'
import { eachEngine, type TestApp, testApp } from '../../../support/app.ts'
import { freshDatabaseUrl } from '../../../support/databases.ts'

const leaseJob = query('test-lease-job', (k, p: { id: string; until: number }) =>
  k
    .updateTable('jobs')
    .set({ agent_id: 'somebody', claimed_at: 0, lease_expires_at: p.until, run_state: 'running' })
    .where('id', '=', p.id),
)

/** Which of them a test makes: due so many ms ago, given up so many ms from now, of which check. */
type Wanted = { id: string; agoMs: number; leftMs: number; checkId?: string }

const insertJobs = ({ app, accountId }: TestApp, wanted: readonly Wanted[]): Promise<void> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    for (const { id, agoMs, leftMs, checkId = id } of wanted) {
      const check = { id: checkId, accountId, type: 'URL' as const, runtimeId: null, periodMs: 60_000 }
      const location = { id: 'somewhere', name: 'somewhere' }
      const planned = { dueAt: now - agoMs, expiresAt: now + leftMs, location }
      await trx.run(insertJob, newJob(check, planned, { id, sequenceId: id, now, origin: scheduled }))
    }
  })
}

const waiting = async ({ app }: TestApp): Promise<string[]> =>
  (await app.db.select((k) => k.selectFrom('jobs').select('id').orderBy('id'))).map(({ id }) => id)

const perTurn = 10_000

t.test('a turn ends, and the next one goes on where it ended', async (t) => {
  const plane = await testApp(t)
  // All due at once, as after an absence: the order among them is that of their ids.
  const idOf = (index: number): string => `job-${String(index).padStart(6, '0')}`
  const patient = Array.from({ length: perTurn }, (_, index) => ({
    id: idOf(index),
    agoMs: 1000,
    leftMs: 60_000,
  }))
  const late = Array.from({ length: 250 }, (_, index) => ({
    id: idOf(perTurn + index),
    agoMs: 1000,
    leftMs: 0,
  }))
  await insertJobs(plane, [...patient, ...late])
  await sweepTick(plane.app)
  t.equal((await waiting(plane)).length, perTurn + 250, 'it has not come to them')
  await sweepTick(plane.app)
  t.same(
    await waiting(plane),
    patient.map(({ id }) => id),
    'now it has, and to all of them',
  )
  await insertJobs(plane, [{ id: 'early', agoMs: 5000, leftMs: 0 }])
  await sweepTick(plane.app)
  t.equal((await waiting(plane)).length, perTurn, 'a walk that came to the end begins anew')
})

eachEngine(
  'what overlaps, waited too long or is not due yet is known at the edges of a slice',
  async (t, plane) => {
    const jobs: Wanted[] = [
      { id: 'a-running', agoMs: 60_000, leftMs: 60_000, checkId: 'a' },
      { id: 'a-overtaken', agoMs: 0, leftMs: 60_000, checkId: 'a' },
      { id: 'b-late', agoMs: 0, leftMs: 0 },
      { id: 'c-not-due', agoMs: -1, leftMs: 0 },
      { id: 'd-patient', agoMs: 0, leftMs: 1 },
    ]
    await insertJobs(plane, jobs)
    await plane.app.db.run(leaseJob, { id: 'a-running', until: plane.app.clock.now() + 60_000 })
    await sweepTick(plane.app)
    t.same(await waiting(plane), ['a-running', 'c-not-due', 'd-patient'])
  },
)

t.test('each slice is read from its place in the index on, in its order', async (t) => {
  const url = await freshDatabaseUrl(t, 'sqlite')
  const db = openDatabase(url)
  await migrate(db, 0)
  await db.close()
  const file = new BetterSqlite(url.slice('sqlite:'.length), { readonly: true })
  t.teardown(() => file.close())
  for (const one of [endOfWaitingSlice, takeOverlappedJobs, takeExpiredJobs]) {
    const { sql } = one.compiled(engines.sqlite)
    const values = Array.from({ length: sql.split('?').length - 1 }, () => null)
    const steps = file
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all(...values)
      .map(({ detail }) => detail)
    t.ok(
      steps.some((step) =>
        /^SEARCH j USING .*jobs_unclaimed_due \(\(due_at,id\)>\(\?,\?\) AND \(due_at,id\)<\(\?,\?\)\)/.test(
          step,
        ),
      ),
      `${one.name}: ${steps.join(' | ')}`,
    )
    t.notOk(
      steps.some((step) => /TEMP B-TREE/.test(step)),
      one.name,
    )
  }
})
