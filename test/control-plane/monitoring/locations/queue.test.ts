// Runs on both engines in test:all: rows are counted and added up.
/** What waits in the queues: one number for autoscalers, and gauges of a bounded set of locations for operators. */
import t from 'tap'
import { recordAgentSeen } from '../../../../control-plane/monitoring/locations/agents/queries.ts'
import { insertProblem } from '../../../../control-plane/monitoring/locations/problem-queries.ts'
import {
  insertLocationKey,
  insertPrivateLocation,
} from '../../../../control-plane/monitoring/locations/queries.ts'
import { maxLocations, watchQueues } from '../../../../control-plane/monitoring/locations/queue-metrics.ts'
import { awaitRuns } from '../../../../control-plane/monitoring/schedule/awaited-runs.ts'
import { insertJob } from '../../../../control-plane/monitoring/schedule/job-queries.ts'
import { controlPlaneVersion } from '../../../../control-plane/platform/settings/config.ts'
import { eachEngine, type TestApp, testApp } from '../../../support/app.ts'

type Waiting = { location?: string; queue?: string; dueAt: number; runAt?: number }

const addJob = (
  { app, accountId, locationId }: TestApp,
  { location = locationId, queue = 'uptime', dueAt, runAt = dueAt }: Waiting,
): Promise<number> =>
  app.db.run(insertJob, {
    id: app.newId(),
    accountId,
    checkId: app.newId(),
    checkType: queue === 'main' ? 'BROWSER' : 'URL',
    queue,
    runtimeId: null,
    location,
    runLocation: 'local',
    home: location,
    runSource: 'SCHEDULER',
    sessionId: '',
    checkRunId: dueAt,
    sequenceId: app.newId(),
    attempt: 1,
    dueAt,
    runAt,
    expiresAt: dueAt + 600_000,
    periodMs: 600_000,
    deadlineMs: 60_000,
    fence: 0,
    firstStartedAt: null,
    now: dueAt,
  })

const claim = (plane: TestApp, maxUptime: number) =>
  plane.call('POST', '/agent/v1/claim', {
    key: plane.agentKey,
    body: {
      agentId: 'a1',
      version: '0.1.0',
      platform: 'test',
      checkTypes: ['URL'],
      runtimeIds: [],
      maxUptime,
      maxMain: 0,
      waitMs: 0,
    },
  })

const lines = async ({ call }: TestApp, name: string): Promise<string[]> =>
  (await call('GET', '/metrics')).text.split('\n').filter((line) => line.startsWith(name))

eachEngine('the queue of a location is one number: due and waiting, not planned ahead', async (t, plane) => {
  const { app, call, locationId, addKey } = plane
  const now = app.clock.now()
  const queue = async (query = '') =>
    (await call('GET', `/v1/private-locations/${locationId}/queue${query}`)).body
  t.strictSame(await queue(), { queueSize: 0 })
  await addJob(plane, { dueAt: now - 60_000 })
  await addJob(plane, { dueAt: now })
  await addJob(plane, { dueAt: now + 5000 })
  await addJob(plane, { dueAt: now - 60_000, runAt: now + 1000 })
  await addJob(plane, { dueAt: now - 1000, queue: 'main' })
  await addJob(plane, { dueAt: now - 1000, location: app.newId() })
  t.strictSame(await queue(), { queueSize: 3 }, 'of both queues, without a retry that is not due')
  t.strictSame(await queue('?queue=main'), { queueSize: 1 })
  t.strictSame(await queue('?queue=uptime'), { queueSize: 2 })

  const { body } = await claim(plane, 1)
  t.equal(body.location, 'local', 'the agent learns the slug of its location')
  t.strictSame(await queue(), { queueSize: 2 })
  t.strictSame(await queue('?includeRunning=true'), { queueSize: 3 }, 'what an agent runs can be counted in')
  t.strictSame(await queue('?includeRunning=true&queue=main'), { queueSize: 1 })

  const { apiKey: key } = await addKey()
  t.equal((await call('GET', `/v1/private-locations/${locationId}/queue`, { key })).status, 404, "another's")
  t.equal((await call('GET', `/v1/private-locations/${locationId}/queue`, { key: null })).status, 401)
  t.equal((await call('GET', `/v1/private-locations/${locationId}/queue?queue=slow`)).status, 400)
})

eachEngine('size and age of each queue, agents and their absence are read at a scrape', async (t, plane) => {
  const { app, advance, locationId, accountId } = plane
  const now = app.clock.now()
  watchQueues(app)
  await addJob(plane, { dueAt: now - 60_000 })
  await addJob(plane, { dueAt: now - 5000 })
  await addJob(plane, { dueAt: now - 2000, queue: 'main' })
  await addJob(plane, { dueAt: now + 5000 })
  await addJob(plane, { dueAt: now - 9000, location: 'eu-west-1' })
  await app.db.run(insertProblem, { locationId, accountId, problem: 'NO_AGENT', now: now - 30_000 })
  await app.db.run(insertLocationKey, {
    id: app.newId(),
    locationId: 'eu-west-1',
    accountId: null,
    hash: 'x',
    masked: 'x',
    now,
  })
  const awaitedRange = (count: number, firstDueAt: number) => ({
    ...{ id: app.newId(), accountId, checkId: app.newId(), firstDueAt, count, stepMs: 60_000, now },
    location: { id: 'eu-west-1', name: 'eu-west-1' },
    lastDueAt: firstDueAt + (count - 1) * 60_000,
    reason: 'CONTROL_PLANE_DOWN' as const,
    detail: 'No control plane was at work at that time.',
  })
  await app.db.transaction((trx) =>
    awaitRuns(trx, [awaitedRange(5, now - 300_000), awaitedRange(2, now - 120_000)]),
  )
  for (const [agentId, seenAt] of [
    ['here', now],
    ['gone', now - 600_000],
  ] as const)
    await app.db.run(recordAgentSeen, {
      location: 'eu-west-1',
      agentId,
      version: '0.1.0',
      platform: 'test',
      checkTypes: '[]',
      runtimeIds: '[]',
      isolation: null,
      now: seenAt,
    })
  t.strictSame(await lines(plane, 'watchpost_queue_jobs'), [
    'watchpost_queue_jobs{location="local",queue="uptime"} 2',
    'watchpost_queue_jobs{location="local",queue="main"} 1',
    'watchpost_queue_jobs{location="eu-west-1",queue="uptime"} 1',
    'watchpost_queue_jobs{location="eu-west-1",queue="main"} 0',
    'watchpost_queue_jobs{location="_other",queue="uptime"} 0',
    'watchpost_queue_jobs{location="_other",queue="main"} 0',
  ])
  t.match(await lines(plane, 'watchpost_queue_oldest_age_seconds'), [
    'watchpost_queue_oldest_age_seconds{location="local",queue="uptime"} 60',
    'watchpost_queue_oldest_age_seconds{location="local",queue="main"} 2',
    'watchpost_queue_oldest_age_seconds{location="eu-west-1",queue="uptime"} 9',
  ])
  t.strictSame(await lines(plane, 'watchpost_location_agents'), [
    'watchpost_location_agents{location="local"} 0',
    'watchpost_location_agents{location="eu-west-1"} 1',
    'watchpost_location_agents{location="_other"} 0',
  ])
  t.match(await lines(plane, 'watchpost_location_absence'), [
    'watchpost_location_absence_seconds{location="local"} 30',
    'watchpost_location_absence_seconds{location="eu-west-1"} 0',
  ])
  t.strictSame(await lines(plane, 'watchpost_awaited_runs'), [
    'watchpost_awaited_runs{location="local"} 0',
    'watchpost_awaited_runs{location="eu-west-1"} 7',
    'watchpost_awaited_runs{location="_other"} 0',
  ])
  t.strictSame(await lines(plane, 'watchpost_schedule_behind_seconds'), [
    'watchpost_schedule_behind_seconds 0',
  ])

  await addJob(plane, { dueAt: now - 1000 })
  t.match(await lines(plane, 'watchpost_queue_jobs'), [/ 2$/], 'who scrapes all the time sees the same again')
  advance(10_000)
  t.match(await lines(plane, 'watchpost_queue_jobs'), [/ 4$/], 'with the one that has become due')
})

t.test('series do not grow with locations beyond the oldest ones, and none is left out', async (t) => {
  const plane = await testApp(t)
  const { app, accountId, addKey } = plane
  const now = app.clock.now()
  const add = async (slug: string, account: string): Promise<string> => {
    const id = app.newId()
    const row = { id, accountId: account, slug, name: slug, now, doc: '{}' }
    await app.db.run(insertPrivateLocation, row)
    return id
  }
  const other = await addKey()
  const twin = await add('local', other.accountId)
  const ids: string[] = []
  for (let i = 0; i < maxLocations + 20; i++) ids.push(await add(`l${i}`, accountId))
  await addJob(plane, { dueAt: now - 1000 })
  await addJob(plane, { dueAt: now - 2000, location: twin })
  await addJob(plane, { dueAt: now - 3000, location: ids.at(-1) ?? '' })
  await addJob(plane, { dueAt: now - 4000, location: ids.at(-2) ?? '' })
  watchQueues(app)
  const shown = await lines(plane, 'watchpost_queue_jobs')
  t.ok(shown.length <= 2 * (maxLocations + 1))
  t.ok(shown.includes('watchpost_queue_jobs{location="local",queue="uptime"} 2'), 'two of one slug are one')
  t.ok(shown.includes('watchpost_queue_jobs{location="_other",queue="uptime"} 2'))
  const ages = await lines(plane, 'watchpost_queue_oldest_age_seconds{location="_other",queue="uptime"}')
  t.match(ages, [/ 4$/])
})

t.test('without a store the other metrics are shown', async (t) => {
  const plane = await testApp(t)
  watchQueues(plane.app)
  await plane.app.db.close()
  t.strictSame(await lines(plane, 'watchpost_queue_jobs'), [])
  t.match(await lines(plane, 'watchpost_missed_runs_total'), [/reason="NO_AGENT"} 0$/])
})

t.test('series do not grow with checks', async (t) => {
  const plane = await testApp(t)
  watchQueues(plane.app)
  const addChecks = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const body = { name: `site ${i}`, request: { url: 'https://example.com' }, privateLocations: ['local'] }
      t.equal((await plane.call('POST', '/v1/checks/url', { body })).status, 201)
    }
    await claim(plane, 100)
    plane.advance(10_000)
    await lines(plane, '')
  }
  await addChecks(1)
  const before = await lines(plane, 'watchpost_')
  await addChecks(30)
  const after = await lines(plane, 'watchpost_')
  t.equal(after.length, before.length)
  t.notSame(after, before)
})

eachEngine(
  'jobs under way are a gauge of their own, without those that are held for later',
  async (t, plane) => {
    const now = plane.app.clock.now()
    watchQueues(plane.app)
    for (const dueAt of [now - 60_000, now - 5000, now + 2000]) await addJob(plane, { dueAt })
    await claim(plane, 2)
    const running = await lines(plane, 'watchpost_queue_running_jobs')
    t.strictSame(
      running.filter((line) => !line.endsWith(' 0')),
      ['watchpost_queue_running_jobs{location="local",queue="uptime"} 2'],
    )
    t.ok(
      running.includes('watchpost_queue_running_jobs{location="_other",queue="main"} 0'),
      'none is a number, too',
    )
  },
)

eachEngine('agents of other versions than the control plane goes with are counted', async (t, plane) => {
  const { app, locationId } = plane
  watchQueues(app)
  for (const [agentId, version] of [
    ['a', '99.0.0'],
    ['b', '99.1.0'],
    ['c', controlPlaneVersion],
  ] as const)
    await app.db.run(recordAgentSeen, {
      ...{ location: locationId, agentId, version, platform: 'test' },
      ...{ checkTypes: '[]', runtimeIds: '[]', isolation: null, now: app.clock.now() },
    })
  t.strictSame(
    (await lines(plane, 'watchpost_location_skewed_agents')).filter((line) => line.includes('"local"')),
    [
      'watchpost_location_skewed_agents{location="local",skew="too-old"} 0',
      'watchpost_location_skewed_agents{location="local",skew="newer"} 2',
    ],
  )
  t.ok(
    (await lines(plane, 'watchpost_location_agents')).includes(
      'watchpost_location_agents{location="local"} 3',
    ),
  )
})
