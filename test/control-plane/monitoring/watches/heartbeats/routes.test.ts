// Runs on both engines in test:all: rows are locked.
import type { Test } from 'tap'
import { forgiveTick } from '../../../../../control-plane/monitoring/runs/forgive.ts'
import { aliveTick, recover } from '../../../../../control-plane/monitoring/runs/recover.ts'
import { syncHeartbeat } from '../../../../../control-plane/monitoring/schedule/heartbeat.ts'
import { heartbeatTick } from '../../../../../control-plane/monitoring/watches/heartbeats/heartbeat-tick.ts'
import { query } from '../../../../../control-plane/platform/store/database/query.ts'
import { allResults } from '../../../../support/all-results.ts'
import { eachEngine, type TestApp } from '../../../../support/app.ts'

const token = '0b0a1c52-6d65-4a5c-8f0c-1d2e3f405162'
const checkId = '7d3f0a9e-3b1c-4d5e-9f60-718293a4b5c6'

const insertCheck = query('test-insert-heartbeat-check', (k, p: { accountId: string; now: number }) =>
  k.insertInto('checks').values({
    id: checkId,
    account_id: p.accountId,
    type: 'HEARTBEAT',
    name: 'Nightly backup',
    activated: true,
    group_id: null,
    created_at: p.now,
    updated_at: null,
    version: 1,
    doc: '{}',
  }),
)

const settings = {
  period: 60,
  periodUnit: 'seconds',
  grace: 30,
  graceUnit: 'seconds',
  pingToken: token,
} as const

const save = (plane: TestApp, { activated = true, period = 60 } = {}) =>
  plane.app.db.transaction((trx) =>
    syncHeartbeat(trx, {
      checkId,
      accountId: plane.accountId,
      activated,
      heartbeat: { ...settings, period },
      now: plane.app.clock.now(),
    }),
  )

const eachHeartbeat = (name: string, body: (t: Test, plane: TestApp) => Promise<void>): void => {
  eachEngine(name, async (t, plane) => {
    await plane.app.db.run(insertCheck, { accountId: plane.accountId, now: plane.app.clock.now() })
    await save(plane)
    await body(t, plane)
  })
}

const ping = (plane: TestApp, options: { method?: string; headers?: Record<string, string> } = {}) =>
  plane.call(options.method ?? 'GET', `/ping/${token}`, { key: null, headers: options.headers ?? {} })

const events = async (plane: TestApp): Promise<string[]> =>
  (await plane.call('GET', `/v1/checks/heartbeats/${checkId}/events`)).body[0].events.map(
    ({ state }: { state: string }) => state,
  )

eachHeartbeat('GET, POST and HEAD ping without a key; other methods do not', async (t, plane) => {
  t.match(await ping(plane), { status: 200, body: { ok: true, state: 'RECEIVED' } })
  t.match(await ping(plane, { method: 'POST' }), { status: 200, body: { ok: true, state: 'EARLY' } })
  t.match(await ping(plane, { method: 'HEAD' }), { status: 200, text: '' })
  t.match(await ping(plane, { method: 'PUT' }), { status: 405 })
  t.match(await ping(plane, { method: 'DELETE' }), { status: 405 })
  t.strictSame(await events(plane), ['EARLY', 'EARLY', 'RECEIVED'])
})

eachHeartbeat('an unknown token is a 404 and a malformed one a 400', async (t, plane) => {
  t.match(await plane.call('GET', `/ping/${checkId}`, { key: null }), { status: 404 })
  t.match(await plane.call('GET', '/ping/abc', { key: null }), { status: 400 })
})

eachHeartbeat('link previews are not counted', async (t, plane) => {
  t.match(await ping(plane, { headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0' } }), { status: 403 })
  t.strictSame(await events(plane), [])
})

eachHeartbeat('the source and the user agent of a ping are kept', async (t, plane) => {
  await ping(plane, {
    headers: { origin: 'https://ci.example', referer: 'https://other', 'user-agent': 'curl/8' },
  })
  const [{ events: found }] = (await plane.call('GET', `/v1/checks/heartbeats/${checkId}/events`)).body
  t.match(found, [{ source: 'https://ci.example', userAgent: 'curl/8', state: 'RECEIVED' }])
  const one = await plane.call('GET', `/v1/checks/heartbeats/${checkId}/events/${found[0].id}`)
  t.match(one, { status: 200, body: { event: { id: found[0].id } } })
})

eachHeartbeat('a user agent in UTF-8 is read as such, any other as Latin-1', async (t, plane) => {
  const sent = [Buffer.from('sauvegarde de l’été/日本'), Buffer.from('caf\xe9/1', 'latin1')]
  for (const bytes of sent) {
    await ping(plane, { headers: { 'user-agent': bytes.toString('latin1') } })
    plane.advance(1)
  }
  const long = Buffer.from(`${'a'.repeat(511)}😀`)
  await ping(plane, { headers: { 'user-agent': long.toString('latin1') } })
  const [{ events: found }] = (await plane.call('GET', `/v1/checks/heartbeats/${checkId}/events`)).body
  t.strictSame(found.map(({ userAgent }: { userAgent: string }) => userAgent).sort(), [
    'a'.repeat(511),
    'café/1',
    'sauvegarde de l’été/日本',
  ])
})

eachHeartbeat('a ping that stays away fails the check, and the next one makes it pass', async (t, plane) => {
  await heartbeatTick(plane.app)
  t.strictSame(await events(plane), [], 'before the first ping nothing is expected')
  await ping(plane)
  plane.advance(90_000)
  await heartbeatTick(plane.app)
  t.strictSame(await events(plane), ['RECEIVED'], 'the grace is not over')
  plane.advance(1)
  await Promise.all([heartbeatTick(plane.app), heartbeatTick(plane.app)])
  t.strictSame(await events(plane), ['FAILING', 'RECEIVED'])
  t.match((await plane.call('GET', `/v1/check-statuses/${checkId}`)).body, { hasFailures: true })
  plane.advance(1000)
  t.match(await ping(plane), { body: { state: 'RECEIVED' } })
  t.match((await plane.call('GET', `/v1/check-statuses/${checkId}`)).body, { hasFailures: false })
  const { body } = await plane.call('GET', `/v1/checks/heartbeats/${checkId}/availability`)
  t.match(body, {
    successRatio: { previousPeriod: null, currentPeriod: 66.6667 },
    totalEntitiesCurrentPeriod: 3,
  })
})

eachHeartbeat('our own downtime raises no alarm: the grace starts again', async (t, plane) => {
  await ping(plane)
  await aliveTick(plane.app)
  plane.advance(3_600_000)
  await recover(plane.app)
  await forgiveTick(plane.app)
  await heartbeatTick(plane.app)
  t.strictSame(await events(plane), ['RECEIVED'])
  plane.advance(60_001)
  await heartbeatTick(plane.app)
  t.strictSame(await events(plane), ['FAILING', 'RECEIVED'])
})

eachHeartbeat(
  'a deactivated check answers and counts nothing; activated again it starts anew',
  async (t, plane) => {
    await ping(plane)
    await save(plane, { activated: false })
    t.match(await ping(plane), { status: 200, body: { state: null } })
    plane.advance(1_000_000)
    await heartbeatTick(plane.app)
    t.strictSame(await events(plane), ['RECEIVED'])
    await save(plane)
    plane.advance(90_001)
    await heartbeatTick(plane.app)
    t.strictSame(await events(plane), ['FAILING', 'RECEIVED'])
  },
)

eachHeartbeat(
  'saving it again unchanged leaves the timer alone; another period restarts it',
  async (t, plane) => {
    await ping(plane)
    plane.advance(80_000)
    await save(plane)
    plane.advance(10_001)
    await heartbeatTick(plane.app)
    t.strictSame(await events(plane), ['FAILING', 'RECEIVED'])
    await save(plane, { period: 120 })
    plane.advance(149_000)
    await heartbeatTick(plane.app)
    t.strictSame(await events(plane), ['FAILING', 'RECEIVED'])
  },
)

eachHeartbeat('of many pings at once none is lost', async (t, plane) => {
  await Promise.all(Array.from({ length: 40 }, () => ping(plane)))
  const rows = await allResults(plane.app.db)
  t.equal(rows.length, 40)
})

eachHeartbeat("another account's heartbeat is a 404", async (t, plane) => {
  const { apiKey: key } = await plane.addKey()
  for (const path of ['events', 'availability'])
    t.match(await plane.call('GET', `/v1/checks/heartbeats/${checkId}/${path}`, { key }), { status: 404 })
})

eachHeartbeat('a period that ends before it begins is refused', async (t, plane) => {
  const path = `/v1/checks/heartbeats/${checkId}/availability?startTime=1767225700&endTime=1767225600`
  t.match(await plane.call('GET', path), { status: 400 })
})
