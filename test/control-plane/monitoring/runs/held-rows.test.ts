/** A control plane that froze in the middle of a transaction keeps others from the few rows that it holds, and from no more. */
import t, { type Test } from 'tap'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import type { Db } from '../../../../control-plane/platform/store/database/db.ts'
import { query } from '../../../../control-plane/platform/store/database/query.ts'
import { testApp } from '../../../support/app.ts'

const holdSchedule = query('test-hold-schedule', (k, p: { checkId: string }) =>
  k.selectFrom('schedules').selectAll().where('check_id', '=', p.checkId).forUpdate(),
)
const holdJobs = query('test-hold-jobs', (k, p: { checkId: string }) =>
  k.selectFrom('jobs').selectAll().where('check_id', '=', p.checkId).forUpdate(),
)

const setUp = async (t: Test, count: number) => {
  const plane = await testApp(t, { engine: 'postgres' })
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) {
    const { status, text, body } = await plane.call('POST', '/v1/checks/url', {
      body: {
        name: `check ${index}`,
        request: { url: 'http://127.0.0.1/' },
        frequency: 1,
        privateLocations: ['local'],
        locations: [],
      },
    })
    if (status !== 201) throw new Error(text)
    ids.push(body.id)
  }
  return { plane, ids }
}

/** A transaction that stays open until it is let go. */
const holding = async (
  db: { transaction<T>(work: (trx: Db) => Promise<T>): Promise<T> },
  hold: (trx: Db) => Promise<unknown>,
) => {
  const holds = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const done = db.transaction(async (trx) => {
    await hold(trx)
    holds.resolve()
    await end.promise
  })
  await Promise.race([holds.promise, done])
  return async () => {
    end.resolve()
    await done
  }
}

const jobsOf = async (db: Db, checkId: string): Promise<number> =>
  (await db.select((k) => k.selectFrom('jobs').select('id').where('check_id', '=', checkId))).length

t.test('planning leaves out what another control plane is changing', async (t) => {
  const { plane, ids } = await setUp(t, 5)
  const { db } = plane.app
  const [held = '', ...others] = ids
  plane.advance(150_000)
  const letGo = await holding(db, (trx) => trx.all(holdSchedule, { checkId: held }))
  const before = await jobsOf(db, held)
  await scheduleTick(plane.app)
  for (const id of others) t.ok((await jobsOf(db, id)) > 1, 'planned')
  t.equal(await jobsOf(db, held), before)
  await letGo()
  await scheduleTick(plane.app)
  t.ok((await jobsOf(db, held)) > before, 'and planned as soon as it is free')
})

t.test('so does the sweep, with jobs that waited for too long', async (t) => {
  const { plane, ids } = await setUp(t, 5)
  const { db } = plane.app
  const [held = '', ...others] = ids
  plane.advance(10 * 60_000)
  const letGo = await holding(db, (trx) => trx.all(holdJobs, { checkId: held }))
  await sweepTick(plane.app)
  for (const id of others) t.equal(await jobsOf(db, id), 0, 'given up')
  t.ok((await jobsOf(db, held)) > 0)
  await letGo()
  await sweepTick(plane.app)
  t.equal(await jobsOf(db, held), 0)
})
