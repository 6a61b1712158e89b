// Runs on both engines: statuses are changed by a list of rows.
import t, { type Test } from 'tap'
import { loops } from '../../../../control-plane/loops.ts'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import { isStale } from '../../../../control-plane/monitoring/watches/staleness/stale-after.ts'
import { staleTick } from '../../../../control-plane/monitoring/watches/staleness/stale-tick.ts'
import { serviceState } from '../../../../control-plane/pages/status/states.ts'
import { agentPaths } from '../../../../protocol/agent-api.ts'
import { eachEngine, type TestApp } from '../../../support/app.ts'
import { claimRequest, passingReport } from '../../../support/engine-room.ts'
import { samples, scrape } from '../../../support/exporter.ts'

const minute = 60_000
const url = {
  doubleCheck: false,
  name: 'Home',
  request: { url: 'https://example.com/' },
  ...{ locations: [], privateLocations: ['local'], frequency: 10 },
}

t.test('a check is stale after three periods, a minute and its longest run', async (t) => {
  const said = { lastStartedAt: 1000, fromAt: 0, longestRunMs: 500, periodMs: minute }
  t.notOk(isStale(said, 1000 + 4 * minute + 500))
  t.ok(isStale(said, 1000 + 4 * minute + 501))
  t.notOk(isStale({ ...said, fromAt: 10 * minute }, 14 * minute), 'it was written anew since')
  t.ok(isStale({ ...said, longestRunMs: null }, 1001 + 4 * minute))
})

t.test('a service whose checks are stale has no data, and is not operational', async (t) => {
  const check = { state: 'stale', severity: 'MAJOR' } as const
  const quiet = { open: [], maintenance: [] }
  t.equal(serviceState('shop', { ...quiet, checks: [check] }), 'unknown')
  t.equal(serviceState('shop', { ...quiet, checks: [{ ...check, state: 'failing' }] }), 'partial')
})

const create = async ({ call }: TestApp, more: object = {}): Promise<string> =>
  (await call('POST', '/v1/checks/url', { body: { ...url, ...more } })).body.id

const statusOf = async ({ call }: TestApp, id: string) => (await call('GET', `/v1/check-statuses/${id}`)).body

type Outcome = 'passes' | 'fails'

/** After a silence the latest due time may be too old to be run: then the next one is. */
const claimDue = async ({ app, call, agentKey, advance }: TestApp) => {
  for (let waited = 0; waited < 20; waited += 1) {
    await scheduleTick(app)
    const claimed = await call('POST', agentPaths.claim, { key: agentKey, body: claimRequest() })
    if (claimed.body.jobs.length > 0) return claimed
    advance(30_000)
    await sweepTick(app)
  }
  throw new Error('nothing was due')
}

/** An agent runs what is due. */
const run = async (plane: TestApp, outcome: Outcome = 'passes'): Promise<void> => {
  const { app, call, agentKey } = plane
  const claimed = await claimDue(plane)
  const reports = claimed.body.jobs.map((job: { id: string; fence: number }) => {
    const report = passingReport(job, app.clock.now())
    const failure = { code: 'ECONNREFUSED', message: 'refused', network: true }
    return outcome === 'fails' && report.outcome.kind === 'observed'
      ? { ...report, outcome: { ...report.outcome, observation: { ...report.outcome.observation, failure } } }
      : report
  })
  await call('POST', agentPaths.report, {
    key: agentKey,
    body: { agentId: claimRequest().agentId, reports },
  })
}

/** More than three periods of ten minutes and a minute. */
const silence = async ({ app, advance }: TestApp): Promise<void> => {
  advance(45 * minute)
  await staleTick(app)
}

const badgeOf = async (plane: TestApp, id: string): Promise<string> => {
  const doc = JSON.stringify({ settings: { badgesEnabled: true } })
  await plane.app.db.execute((k) => k.updateTable('accounts').set({ doc }))
  return (await plane.call('GET', `/v1/badges/checks/${id}`, { key: null })).text
}

eachEngine('what passed is stale when results stay away, everywhere, until one comes', async (t, plane) => {
  const id = await create(plane)
  await run(plane)
  const since = new Date(plane.app.clock.now()).toISOString()
  await staleTick(plane.app)
  t.match(await statusOf(plane, id), { state: 'passing', staleSince: null })
  await silence(plane)
  t.match(await statusOf(plane, id), { state: 'stale', staleSince: since })
  t.match(await badgeOf(plane, id), /stale since 1 Jan 2026, 00:00 UTC/)
  const listed = await plane.call('GET', '/v1/checks?status=stale')
  t.strictSame(
    listed.body.map((check: { id: string }) => check.id),
    [id],
  )
  t.strictSame((await plane.call('GET', '/v1/checks?status=passing')).body, [])
  const explained = (await plane.call('GET', `/v1/checks/${id}/alert-explanation`)).body
  t.match(explained, { state: 'unknown', summary: /no result has come/ })
  await staleTick(plane.app)
  t.match(await statusOf(plane, id), { state: 'stale', staleSince: since }, 'once')
  await sweepTick(plane.app)
  await run(plane)
  t.match(await statusOf(plane, id), { state: 'passing', staleSince: null })
})

eachEngine('what failed goes on failing, and says since when nothing was heard', async (t, plane) => {
  const id = await create(plane)
  await run(plane, 'fails')
  await silence(plane)
  t.match(await statusOf(plane, id), { state: 'failing', staleSince: /^2026-01-01/ })
})

eachEngine('a check that no agent could run is unknown at its next due time already', async (t, plane) => {
  const id = await create(plane, { frequency: 1 })
  await run(plane)
  plane.advance(2 * minute)
  await scheduleTick(plane.app)
  plane.advance(6 * minute)
  await sweepTick(plane.app)
  t.match(await statusOf(plane, id), { state: 'unknown' })
})

eachEngine('a failing run that is tried again for long leaves its check stale', async (t, plane) => {
  const retryStrategy = {
    type: 'FIXED',
    baseBackoffSeconds: 300,
    maxRetries: 1,
    maxDurationSeconds: 600,
    sameRegion: true,
  }
  const id = await create(plane, { frequency: 1, retryStrategy })
  await run(plane)
  plane.advance(minute)
  await run(plane, 'fails')
  t.match(await statusOf(plane, id), { state: 'passing', staleSince: null }, 'there is no verdict yet')
  plane.advance(4.5 * minute)
  await staleTick(plane.app)
  t.match(await statusOf(plane, id), { state: 'stale' })
})

t.test('a control plane that was away finds what is stale within twenty seconds', async (t) => {
  const intervals = loops.filter(({ name }) => name === 'stale-checks').map(({ intervalMs }) => intervalMs)
  t.strictSame(intervals, [20_000])
})

const never = async (t: Test, plane: TestApp, id: string): Promise<void> => {
  await silence(plane)
  t.match(await statusOf(plane, id), { state: 'passing', staleSince: null })
}

eachEngine('a check that is muted, or deactivated, is not stale', async (t, plane) => {
  const id = await create(plane, { muted: true })
  await run(plane)
  await never(t, plane, id)
  await plane.call('PATCH', `/v1/checks/${id}`, { body: { muted: false, activated: false } })
  await never(t, plane, id)
})

eachEngine('a check that maintenance pauses is not stale, and may be afterwards', async (t, plane) => {
  const id = await create(plane, { tags: ['shop'] })
  await run(plane)
  const at = plane.app.clock.now()
  const instant = (minutes: number): string => new Date(at + minutes * minute).toISOString()
  const made = await plane.call('POST', '/v1/maintenance-windows', {
    body: { name: 'Move', tags: ['shop'], startsAt: instant(1), endsAt: instant(40), repeatUnit: null },
  })
  t.equal(made.status, 201, JSON.stringify(made.body))
  await never(t, plane, id)
  await silence(plane)
  t.equal((await statusOf(plane, id)).state, 'stale')
})

const valuesOf = (text: string, name: string): string[] =>
  samples(text, name).map((line) => line.slice(line.lastIndexOf(' ') + 1))

eachEngine(
  'the exporter says that it is stale, and leaves out what the last run measured',
  async (t, plane) => {
    await create(plane)
    await scrape(plane)
    plane.advance(6000)
    await run(plane)
    plane.advance(6000)
    const fresh = (await scrape(plane)).text
    t.strictSame(valuesOf(fresh, 'watchpost_check_stale'), ['0'])
    t.strictSame(valuesOf(fresh, 'watchpost_check_status'), ['1', '0', '0'])
    t.strictSame(valuesOf(fresh, 'probe_success'), ['1'])
    await silence(plane)
    const stale = (await scrape(plane)).text
    t.strictSame(valuesOf(stale, 'watchpost_check_stale'), ['1'])
    t.strictSame(valuesOf(stale, 'watchpost_check_status'), ['0', '0', '0'])
    t.strictSame(valuesOf(stale, 'probe_success'), [])
  },
)
