// Runs on both engines in test:all: rows that are there already are changed instead.
import t, { type Test } from 'tap'
import { presenceTick } from '../../../../../control-plane/monitoring/locations/agents/agent-presence.ts'
import { sweepTick } from '../../../../../control-plane/monitoring/runs/sweep.ts'
import { scheduleTick } from '../../../../../control-plane/monitoring/schedule/schedule.ts'
import { agentPaths } from '../../../../../protocol/agent-api.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { claimRequest, passingReport } from '../../../../support/engine-room.ts'

const minute = 60_000
const local = { locations: [], privateLocations: ['local'], frequency: 10 }
const url = { name: 'Home', request: { url: 'https://example.com/' }, ...local }
const browser = { name: 'Sign in', script: '// Node.js', ...local }

const eachEngine = (name: string, body: (t: Test, plane: TestApp) => Promise<void>): void => {
  for (const engine of engineNames)
    t.test(`${name} (${engine})`, async (t) => body(t, await testApp(t, { engine })))
}

const create = async ({ call }: TestApp, type: string, body: object): Promise<string> =>
  (await call('POST', `/v1/checks/${type}`, { body })).body.id

const statusOf = async ({ call }: TestApp, id: string) => (await call('GET', `/v1/check-statuses/${id}`)).body

/** Longer than from one due time to the end of the wait for the next, minute by minute. */
const timeGoesBy = async (
  { app, advance }: TestApp,
  everyMinute: () => Promise<unknown> = async () => {},
): Promise<void> => {
  for (let passed = 0; passed < 18; passed += 1) {
    advance(minute)
    await everyMinute()
    await scheduleTick(app)
    await sweepTick(app)
  }
}

/** An agent runs what is due, and the target does as it is told; or the agent cannot run it. */
const run = async (
  { app, advance, call, agentKey }: TestApp,
  fails: boolean | 'could not run' = false,
): Promise<void> => {
  const post = (path: string, body: object) => call('POST', path, { key: agentKey, body })
  const claim = async () => (await post(agentPaths.claim, claimRequest())).body.jobs
  let jobs = await claim()
  for (let waited = 0; jobs.length === 0 && waited < 11; waited += 1) {
    advance(minute)
    await scheduleTick(app)
    jobs = await claim()
  }
  const reports = jobs.map((job: { id: string; fence: number }) => {
    const report = passingReport(job, app.clock.now())
    if (fails === 'could not run')
      return { ...report, outcome: { kind: 'could-not-run', reason: 'This agent has no network' } }
    const failure = { code: 'ECONNREFUSED', message: 'refused', network: true }
    return fails && report.outcome.kind === 'observed'
      ? { ...report, outcome: { ...report.outcome, observation: { ...report.outcome.observation, failure } } }
      : report
  })
  if (reports.length === 0) throw new Error('nothing was due')
  await post(agentPaths.report, { agentId: claimRequest().agentId, reports })
}

const badgeOf = async (plane: TestApp, id: string): Promise<string> => {
  const doc = JSON.stringify({ settings: { badgesEnabled: true } })
  await plane.app.db.execute((k) => k.updateTable('accounts').set({ doc }))
  return (await plane.call('GET', `/v1/badges/checks/${id}`, { key: null })).text
}

eachEngine('a check that no agent can run is unknown everywhere, and never passing', async (t, plane) => {
  const { call } = plane
  const id = await create(plane, 'browser', browser)
  t.equal((await call('GET', `/v1/check-statuses/${id}`)).status, 404, 'it was not due yet')
  await timeGoesBy(plane)
  t.match(await statusOf(plane, id), {
    state: 'unknown',
    hasFailures: false,
    hasErrors: true,
    isDegraded: false,
    longestRun: null,
    lastRunLocation: null,
    lastCheckRunId: null,
  })
  t.match((await call('GET', '/v1/check-statuses')).body, [{ checkId: id, state: 'unknown' }])
  t.match((await call('GET', '/v1/checks?status=unknown')).body, [{ id }])
  t.strictSame((await call('GET', '/v1/checks?status=passing')).body, [])
  t.match(await badgeOf(plane, id), />unknown</)
  t.match((await call('GET', `/v1/checks/${id}/alert-explanation`)).body, {
    state: 'unknown',
    since: null,
    summary: /^Nothing is known of the check/,
  })
})

eachEngine(
  'a check that passed is unknown once no agent can run it, until a run says more',
  async (t, plane) => {
    const id = await create(plane, 'url', url)
    await run(plane)
    t.match(await statusOf(plane, id), { state: 'passing', hasErrors: false, longestRun: 5 })
    await timeGoesBy(plane)
    t.match(await statusOf(plane, id), { state: 'unknown', hasErrors: true, longestRun: 5 })
    t.match((await plane.call('GET', `/v1/checks/${id}/alert-explanation`)).body, {
      state: 'unknown',
      summary: /no agent could run it when it was last due/,
    })
    await run(plane)
    t.match(await statusOf(plane, id), { state: 'passing', hasErrors: false })
  },
)

eachEngine(
  'the first run of a check that was unknown gives it its shortest and its longest',
  async (t, plane) => {
    const id = await create(plane, 'url', url)
    await timeGoesBy(plane)
    t.match(await statusOf(plane, id), { state: 'unknown', shortestRun: null })
    await run(plane)
    t.match(await statusOf(plane, id), { state: 'passing', shortestRun: 5, longestRun: 5 })
  },
)

eachEngine('a check that failed goes on failing, like its alert', async (t, plane) => {
  const id = await create(plane, 'url', url)
  await run(plane, true)
  await timeGoesBy(plane)
  t.match(await statusOf(plane, id), { state: 'failing', hasFailures: true, hasErrors: false })
})

t.test('a due time that able agents were too busy for changes no status', async (t) => {
  const plane = await testApp(t)
  const { call, agentKey } = plane
  const id = await create(plane, 'url', url)
  await run(plane)
  const busy = claimRequest({ maxUptime: 0, maxMain: 0 })
  await timeGoesBy(plane, async () => {
    await call('POST', agentPaths.claim, { key: agentKey, body: busy })
    await presenceTick(plane.app)
  })
  t.match((await call('GET', '/v1/missed-runs')).body, { entries: [{ reason: 'EXPIRED' }] })
  t.match(await statusOf(plane, id), { state: 'passing' })
})

eachEngine('a run that could not be made says nothing of the target', async (t, plane) => {
  const id = await create(plane, 'url', { ...url, doubleCheck: false })
  await run(plane, 'could not run')
  t.match(await statusOf(plane, id), { state: 'unknown', hasErrors: true, hasFailures: false })
  t.match(await badgeOf(plane, id), 'unknown')
  await run(plane)
  t.match(await statusOf(plane, id), { state: 'passing', hasErrors: false })
  await run(plane, true)
  t.match(await statusOf(plane, id), { state: 'failing', hasFailures: true })
  await run(plane, 'could not run')
  t.match(
    await statusOf(plane, id),
    { state: 'failing', hasFailures: true, hasErrors: true },
    'nor does it end a failure',
  )
  t.match(await badgeOf(plane, id), 'failing')
})
