// Runs on both engines in test:all: results are written and read otherwise on each engine.
import t, { type Test } from 'tap'
import { recordAgentSeen } from '../../../../control-plane/monitoring/locations/agents/queries.ts'
import { releaseLeases } from '../../../../control-plane/monitoring/runs/leases.ts'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { maxWaitMs } from '../../../../control-plane/monitoring/schedule/plan-slots.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import { type AlertRoom, alertRoom } from '../../../support/alert-room.ts'
import { allResults } from '../../../support/all-results.ts'
import { engineNames } from '../../../support/databases.ts'

const strategy = (more: object) => ({ retryStrategy: { type: 'FIXED', baseBackoffSeconds: 20, ...more } })

const results = async ({ app }: AlertRoom): Promise<string[]> =>
  (await allResults(app.db))
    .sort((a, b) => a.created_at - b.created_at || a.attempts - b.attempts)
    .map(({ result_type, attempts, location }) => `${result_type} ${attempts} ${location}`)

const missedRuns = async ({ app }: AlertRoom): Promise<string[]> =>
  (await app.db.select((k) => k.selectFrom('missed_runs').select('reason'))).map(({ reason }) => reason)

const seen = ({ app }: AlertRoom, location: string) =>
  app.db.run(recordAgentSeen, {
    location,
    agentId: `agent-${location}`,
    version: '1',
    platform: 'linux',
    checkTypes: JSON.stringify(['URL']),
    runtimeIds: '[]',
    isolation: null,
    now: app.clock.now(),
  })

for (const engine of engineNames) {
  const test = (name: string, body: (t: Test) => Promise<void>) => t.test(`${name} (${engine})`, body)

  test('failed attempts are ATTEMPT, the last is FINAL, and all are one sequence', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addChannel()
    const checkId = await room.addCheck(strategy({ maxRetries: 2 }))
    const [first] = await room.claim()
    await room.report([first!], 'f')
    const [second] = await room.claim()
    t.notOk(second, 'not at once')
    room.advance(20_000)
    const retried = await room.claim()
    t.match(retried, [
      { attempt: 2, sequenceId: first!.sequenceId, dueAt: first!.dueAt, checkRunId: first!.checkRunId },
    ])
    t.equal(retried[0]!.runAt, room.app.clock.now())
    await room.report(retried, 'f')
    t.strictSame(await room.alertTypes(checkId), [], 'attempts alert nobody')
    room.advance(20_000)
    await room.report(await room.claim(), 'f')
    t.strictSame(await results(room), ['ATTEMPT 0 local', 'ATTEMPT 1 local', 'FINAL 2 local'])
    t.strictSame(await room.alertTypes(checkId), ['FAILURE'])
    const groups = await room.app.db.select((k) => k.selectFrom('error_groups').selectAll())
    t.equal(groups.length, 1)
    const { body } = await room.call('GET', `/v2/check-results/${checkId}`)
    t.equal(body.length, 1, 'only the final one is listed unless asked for')
  })

  test('a retry that passes is the final result, and nobody is alerted', async (t) => {
    const room = await alertRoom(t, engine)
    const checkId = await room.addCheck({ doubleCheck: true })
    await room.report(await room.claim(), 'f')
    const status = await room.call('GET', `/v1/check-statuses/${checkId}`)
    t.equal(status.status, 404, 'an attempt is no verdict')
    const again = await room.claim()
    t.match(again, [{ attempt: 2 }], 'the double check comes at once')
    await room.report(again, 'p')
    t.strictSame(await results(room), ['ATTEMPT 0 local', 'FINAL 1 local'])
    t.strictSame(await room.alertTypes(checkId), [])
    t.match((await room.call('GET', `/v1/check-statuses/${checkId}`)).body, { hasFailures: false })
  })

  test('degraded, cancelled and passing runs are not retried; those that could not be run are', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addCheck(strategy({ maxRetries: 1, baseBackoffSeconds: 0 }))
    await room.run('pdx')
    t.strictSame(await results(room), ['FINAL 0 local', 'FINAL 0 local', 'FINAL 0 local'])
    await room.run('cp')
    t.strictSame((await results(room)).slice(3), ['ATTEMPT 0 local', 'FINAL 1 local'])
  })

  test('only on network errors, when that is what was asked for', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addCheck(strategy({ onlyOn: ['NETWORK_ERROR'], baseBackoffSeconds: 0 }))
    const status = { code: 'HTTP_STATUS', message: 'The status was 500', network: false }
    await room.report(await room.claim(), 'f', status)
    t.strictSame(await results(room), ['FINAL 0 local'])
  })

  test('another region: one of the check’s where an agent is, and its own slots go on', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addCheck({
      ...strategy({ sameRegion: false, baseBackoffSeconds: 120, maxRetries: 1 }),
      locations: ['eu-west-1', 'eu-west-2', 'us-east-1'],
      privateLocations: [],
    })
    await seen(room, 'eu-west-1')
    await seen(room, 'us-east-1')
    await room.report(await room.claim('eu-west-1'), 'f')
    const [retry] = await room.app.db.select((k) => k.selectFrom('jobs').selectAll().where('attempt', '=', 2))
    t.match(retry, { location: 'us-east-1', run_location: 'us-east-1', home: 'eu-west-1' })
    const ran = new Set<string>()
    for (let step = 0; step < 10; step++) {
      room.advance(10_000)
      await scheduleTick(room.app)
      await sweepTick(room.app)
      for (const place of ['eu-west-1', 'eu-west-2', 'us-east-1']) {
        const jobs = await room.claim(place)
        for (const { attempt } of jobs) t.equal(attempt, 1)
        if (jobs.length > 0) ran.add(place)
        await room.report(jobs, 'p')
      }
    }
    t.ok(ran.has('eu-west-2'))
    room.advance(20_000)
    await room.report(await room.claim('us-east-1'), 'f')
    t.ok((await results(room)).includes('FINAL 1 us-east-1'))
  })

  test('parallel runs are retried where they ran', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addCheck({
      locations: ['eu-west-1', 'eu-west-2'],
      privateLocations: [],
      runParallel: true,
      doubleCheck: true,
    })
    await seen(room, 'eu-west-1')
    await seen(room, 'eu-west-2')
    await room.report(await room.claim('eu-west-1'), 'f')
    t.match(await room.claim('eu-west-1'), [{ attempt: 2 }])
  })

  test('while a retry waits its run still executes: the next slot is an overlap', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addCheck(strategy({ baseBackoffSeconds: 200, maxRetries: 1 }))
    await room.report(await room.claim(), 'f')
    for (let step = 0; step < 18; step++) {
      room.advance(10_000)
      await scheduleTick(room.app)
      await sweepTick(room.app)
      t.strictSame(await room.claim(), [])
    }
    const overlaps = await missedRuns(room)
    t.ok(overlaps.length >= 2)
    t.ok(overlaps.every((reason) => reason === 'OVERLAP'))
    room.advance(20_000)
    const retry = await room.claim()
    t.match(retry, [{ attempt: 2 }])
    await room.report(retry, 'p')
    t.strictSame(await results(room), ['ATTEMPT 0 local', 'FINAL 1 local'])
  })

  test('a retry that nobody comes for: the attempt before it is the final result', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addChannel()
    const checkId = await room.addCheck(strategy({ maxRetries: 3, baseBackoffSeconds: 1 }))
    await room.report(await room.claim(), 'f')
    room.advance(1000)
    await room.report(await room.claim(), 'f')
    room.advance(1000 + maxWaitMs)
    await sweepTick(room.app)
    t.strictSame(await results(room), ['ATTEMPT 0 local', 'FINAL 1 local'])
    t.strictSame(await missedRuns(room), [])
    t.strictSame(await room.alertTypes(checkId), ['FAILURE'])
    t.match((await room.call('GET', `/v1/check-statuses/${checkId}`)).body, { hasFailures: true })
    const { body } = await room.call('GET', `/v2/check-results/${checkId}`)
    t.equal(body.entries[0].errorGroupIds.length, 1)
  })

  test('a retry whose agent dies is taken over like any job', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addCheck({ doubleCheck: true })
    await room.report(await room.claim(), 'f')
    const [retry] = await room.claim()
    const lease = { jobId: retry!.id, fence: retry!.fence }
    const holder = { location: room.locationId, agentId: `agent-${room.locationId}` }
    t.equal(await releaseLeases(room.app, holder, [lease]), 1)
    const again = await room.claim()
    t.match(again, [{ id: retry!.id, attempt: 2, fence: 2 }])
    await room.report(again, 'f')
    t.strictSame(await results(room), ['ATTEMPT 0 local', 'FINAL 1 local'])
  })

  test('a session ends with the final result of its run, not with an attempt', async (t) => {
    const room = await alertRoom(t, engine)
    const checkId = await room.addCheck({ doubleCheck: true })
    await room.report(await room.claim(), 'p')
    const { body } = await room.call('POST', '/v1/check-sessions/trigger', {
      body: { target: { checkId: [checkId] } },
    })
    const path = `/v1/check-sessions/${body.sessions[0].checkSessionId}`
    const status = async () => (await room.call('GET', path)).body
    await room.report(await room.claim(), 'f')
    t.equal((await status()).stoppedAt, null)
    await room.report(await room.claim(), 'f')
    const ended = await status()
    t.equal(ended.status, 'FAILED')
    t.strictSame(ended.results.map(({ resultType }: { resultType: string }) => resultType).sort(), [
      'ATTEMPT',
      'FINAL',
    ])
  })
}
