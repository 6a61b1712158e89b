// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { sampleLocationsTick } from '../../../../control-plane/monitoring/locations/sample.ts'
import { insertJob } from '../../../../control-plane/monitoring/schedule/job-queries.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const addJob = async ({ app, accountId, locationId }: TestApp, dueAt: number): Promise<void> => {
  await app.db.run(insertJob, {
    id: app.newId(),
    accountId,
    checkId: app.newId(),
    checkType: 'URL',
    queue: 'uptime',
    runtimeId: null,
    location: locationId,
    runLocation: 'local',
    home: locationId,
    runSource: 'SCHEDULER',
    sessionId: '',
    checkRunId: dueAt,
    sequenceId: app.newId(),
    attempt: 1,
    dueAt,
    runAt: dueAt,
    expiresAt: dueAt + 60_000,
    periodMs: 60_000,
    deadlineMs: 60_000,
    fence: 0,
    firstStartedAt: null,
    now: dueAt,
  })
}

const samples = ({ app }: TestApp) =>
  app.db.select((k) => k.selectFrom('location_samples').selectAll().orderBy('at'))

for (const engine of engineNames) {
  t.test(`the queue is sampled once a minute and read back as three lists (${engine})`, async (t) => {
    const given = await testApp(t, { engine })
    const { app, call, advance, locationId } = given
    const start = app.clock.now()
    await sampleLocationsTick(app)
    advance(60_500)
    await addJob(given, start + 30_000)
    await addJob(given, start + 45_000)
    await addJob(given, app.clock.now() + 5_000)
    await Promise.all([sampleLocationsTick(app), sampleLocationsTick(app)])
    t.equal((await samples(given)).length, 2, 'two control planes write a minute once')
    const seconds = (ms: number) => Math.floor(ms / 1000)
    const path = `/v1/private-locations/${locationId}/metrics`
    const { status, body } = await call('GET', `${path}?from=${seconds(start)}&to=${seconds(start) + 120}`)
    t.equal(status, 200)
    t.strictSame(body, {
      timestamps: ['2026-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z'],
      queueSize: [0, 2],
      oldestScheduledCheckRun: [0, 30.5],
    })
    const half = await call('GET', `${path}?from=${seconds(start)}&to=${seconds(start) + 60}`)
    t.strictSame(half.body.queueSize, [0], 'from is inclusive, to exclusive')
    const removed = await call('DELETE', `/v1/private-locations/${locationId}`)
    t.equal(removed.status, 204)
    t.strictSame(await samples(given), [], 'the history goes with its location')
  })

  t.test(`samples older than 15 days are forgotten, in batches (${engine})`, async (t) => {
    const given = await testApp(t, { engine })
    const { app, advance, locationId } = given
    const start = app.clock.now()
    const rows = Array.from({ length: 2500 }, (_, i) => ({
      location_id: locationId,
      at: start - i * 60_000,
      queue_size: 0,
      oldest_age_ms: null,
      late_jobs: 0,
    }))
    await app.db.execute((k) => k.insertInto('location_samples').values(rows))
    advance(15 * 24 * 3_600_000)
    await sampleLocationsTick(app)
    const left = (await samples(given)).map(({ at }) => at)
    t.strictSame(left, [start, app.clock.now()])
  })
}

t.test('the history needs from and to, not older than 15 days, in order', async (t) => {
  const { app, call, locationId } = await testApp(t)
  const now = Math.floor(app.clock.now() / 1000)
  const day = 24 * 3600
  const path = `/v1/private-locations/${locationId}/metrics`
  for (const query of [
    '',
    `?from=${now}`,
    `?to=${now}`,
    `?from=${now}&to=${now}`,
    `?from=${now - 15 * day - 1}&to=${now}`,
  ])
    t.equal((await call('GET', path + query)).status, 400, query)
  t.equal((await call('GET', `${path}?from=${now - 15 * day}&to=${now}`)).status, 200)
})
