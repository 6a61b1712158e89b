// Runs in test:all only: a day of due times is run by real agents.
// Runs in a process of its own: time goes by in it as the test says.
/**
 * The control plane is away for twenty hours: two agents of one location and one of another go on; one of them goes for good until the return, one
 * starts anew. Before it is back a check is changed, one muted and one deleted. Every due time is worked out from outside and looked for, and
 * analytics are compared with those of a store to which the same results came in time. In test:long on PostgreSQL, too, where two control planes
 * come back to the same due times, as they do in half-hour-of-outage.test.ts in shorter runs.
 */
import { allResults, allRows } from '../support/all-results.ts'
import { urlMonitor } from '../support/api.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { eachDatabase, freshDatabase } from '../support/databases.ts'
import { isSettled, readLedger } from '../support/ledger.ts'
import { addPerson } from '../support/members.ts'
import { movedWorld } from '../support/moved-world.ts'
import { sumOf } from '../support/nothing-lost.ts'
import { countAll, takeIn } from '../support/rollups.ts'
import { httpServer } from '../support/servers.ts'
import { storeCheck } from '../support/stored-results.ts'
import { temporaryFolder } from '../support/test-agent.ts'

const names = ['steady', 'blip', 'broken', 'flapping', 'changed', 'muted', 'deleted', 'elsewhere'] as const
type Name = (typeof names)[number]

const hourMs = 3_600_000

/** What the target answers so many hours after the control plane has gone. */
const isDown: Partial<Record<Name, (hours: number) => boolean>> = {
  blip: (hours) => hours > 5 && hours < 6.5,
  broken: (hours) => hours > 12,
  flapping: (hours) => hours > 1 && hours < 19 && Math.floor(hours) % 2 === 1,
  muted: (hours) => hours > 3,
  deleted: (hours) => hours > 3,
}

eachDatabase('every due time of twenty hours ends once, and nobody is told of the past', async (t, db) => {
  const isPostgres = db.engine.name === 'postgres'
  const world = await movedWorld(t, { db, planes: isPostgres ? 2 : 1 })
  const { clock, pass, passUntil } = world
  const account = world.first()
  let awayAt = Number.POSITIVE_INFINITY
  let hits = 0
  const target = await httpServer(t, async ({ url = '/' }, response) => {
    hits += 1
    await world.answerAfter(20 + ((hits * 37) % 400))
    const name = url.slice(1) as Name
    response.statusCode = isDown[name]?.((clock.now() - awayAt) / hourMs) ? 500 : 200
    response.end('ok')
  })
  await addPerson(account, { email: 'owner@shop.example', role: 'OWNER' })
  const post = async (path: string, body: object, plane: TestApp = account) => {
    const answer = await plane.call('POST', path, { body })
    if (answer.status >= 300) throw new Error(answer.text)
    return answer.body
  }
  const there = await post('/v1/private-locations', { name: 'there', slugName: 'there' })
  const { rawKey } = await post(`/v1/private-locations/${there.id}/keys`, {})
  const config = { name: 'hook', url: `${target.origin}/hook`, method: 'POST' }
  const channel = await post('/v1/alert-channels', { type: 'WEBHOOK', config })
  const monitorOf = (name: Name, path: string = name) => ({
    ...urlMonitor(name, `${target.origin}/${path}`),
    frequency: 10,
    privateLocations: [name === 'elsewhere' ? 'there' : 'local'],
    alertChannelSubscriptions: [{ alertChannelId: channel.id, activated: true }],
  })
  const ids = new Map<Name, string>()
  for (const name of names) ids.set(name, (await post('/v1/checks/url', monitorOf(name))).id)
  const idOf = (name: Name) => ids.get(name) as string

  const spools = [0, 1, 2].map(() => temporaryFolder(t))
  const startAgent = (index: number) =>
    world.startAgent(index, index === 2 ? rawKey : account.agentKey, spools[index] as string)
  const [gone, restarted, other] = [await startAgent(0), await startAgent(1), await startAgent(2)]
  const all = [gone, restarted, other]
  await passUntil('the orders', () => all.every(({ agent }) => agent.levels().standingOrders > 0))
  await passUntil('the first runs', async () => (await allRows(db)).length >= names.length)
  await pass(70_000)

  world.goAway()
  awayAt = clock.now()
  await pass(4 * hourMs)
  t.ok(all.every(({ agent }) => agent.levels().alone === 1))
  await world.stopAgent(gone)
  await pass(4 * hourMs)
  await world.stopAgent(restarted)
  const again = await startAgent(1)
  await pass(12 * hourMs)

  await world.comeBack()
  const back = world.first()
  const asked = (method: string, path: string, body?: object) =>
    back.call(method, path, { key: account.apiKey, body })
  t.equal(
    (await asked('PUT', `/v1/checks/url/${idOf('changed')}`, monitorOf('changed', 'since'))).status,
    200,
  )
  t.equal(
    (await asked('PUT', `/v1/checks/url/${idOf('muted')}`, { ...monitorOf('muted'), muted: true })).status,
    200,
  )
  t.equal((await asked('DELETE', `/v1/checks/${idOf('deleted')}`)).status, 204)
  const goneOnes = [await startAgent(0)]
  world.connect()
  const backAt = clock.now()
  const agents = [again, other, ...goneOnes]
  await passUntil('what agents had', () =>
    agents.every(({ agent }) => agent.levels().alone === 0 && agent.levels().lateReports === 0),
  )
  await passUntil('what is known of the outage', async () => {
    const [awaited] = await db.select((k) => k.selectFrom('awaited_runs').select('id').limit(1))
    const [deferred] = await db.select((k) => k.selectFrom('deferred_judgements').select('check_id').limit(1))
    return awaited === undefined && deferred === undefined && (await isSettled(db, backAt))
  })
  await pass(60_000)

  const ledger = await readLedger(db, backAt)
  t.comment(sumOf(ledger))
  t.strictSame(ledger.lost, [], 'every due time is accounted for')
  t.strictSame(ledger.doubled, [], 'and none twice')
  t.strictSame(ledger.unexpected, [])
  t.ok(ledger.due > 7 * 118, `${ledger.due} due times`)
  t.ok(ledger.results / ledger.due > 0.99, 'nearly all were run')
  const results = (await allResults(db)).filter(({ result_type }) => result_type === 'FINAL')
  const late = results.filter(({ due_at }) => due_at > awayAt && due_at <= backAt - 60_000)
  t.ok(
    late.every(({ started_at, due_at }) => started_at >= due_at && started_at < due_at + 600_000),
    'in their own slots',
  )

  const events = (await db.select((k) => k.selectFrom('alert_notifications').select('event'))).map(
    ({ event }) => JSON.parse(event ?? '{}'),
  )
  t.match(events, [{ checkName: 'broken', alertType: 'ALERT_FAILURE_REMAIN', toldLate: true }])
  t.equal(events.length, 1, 'one alert, about now')
  const failedAfter = (events[0]?.failingSince - awayAt) / hourMs
  t.ok(failedAfter > 12 && failedAfter < 12.5, `failing since ${failedAfter} hours after`)
  const mails = await db.select((k) =>
    k.selectFrom('mails').select('kind').where('kind', '=', 'OUTAGE_DIGEST'),
  )
  t.equal(mails.length, 1, 'one digest')

  // The hours were closed when the results came; in the other store they came in time.
  await countAll(back.app)
  const inTime = await testApp(t, {
    parts: { db: await freshDatabase(t, db.engine.name), clock },
  })
  const metrics = 'availability,responseTime_avg,responseTime_p95,responseTime_max,retries'
  const from = Math.floor(awayAt / hourMs) * hourMs
  const query = new URLSearchParams({
    ...{
      from: `${from / 1000}`,
      to: `${(from + 20 * hourMs) / 1000}`,
      aggregationInterval: '60',
      limit: '100',
      metrics,
    },
  })
  const figures = async (plane: TestApp, checkId: string, key: string) => {
    const { body } = await plane.call('GET', `/v1/analytics/url-monitors/${checkId}?${query}`, { key })
    return body.series.map(({ data }: { data: unknown }) => data)
  }
  for (const name of names.filter((one) => one !== 'deleted')) {
    const own = await storeCheck(inTime, { name })
    await takeIn(
      inTime,
      results
        .filter(({ check_id }) => check_id === idOf(name))
        .map((row) => ({
          checkId: own,
          at: row.started_at,
          responseTime: row.response_time,
          hasFailures: row.has_failures,
          hasErrors: row.has_errors,
          isDegraded: row.is_degraded,
          attempts: row.attempts,
          location: row.location,
        })),
    )
    await countAll(inTime.app)
    const found = await figures(back, idOf(name), account.apiKey)
    t.ok(found.flat().length >= 19, `${name}: ${found.flat().length} hours`)
    t.strictSame(found, await figures(inTime, own, inTime.apiKey), `analytics of ${name}`)
  }
})
