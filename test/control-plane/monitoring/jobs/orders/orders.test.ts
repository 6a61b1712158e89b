// Runs on both engines: lists of checks and accounts, sums and conflicts are asked for otherwise on each engine.
import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { createCertificateBox } from '../../../../../agent/net/connect/certificate-box.ts'
import { presenceTick } from '../../../../../control-plane/monitoring/locations/agents/agent-presence.ts'
import { insertLocationKey } from '../../../../../control-plane/monitoring/locations/queries.ts'
import { retentionTick } from '../../../../../control-plane/platform/retention/retention-tick.ts'
import { keyHash } from '../../../../../control-plane/platform/web/http/auth/auth.ts'
import { retentionKinds } from '../../../../../control-plane/retention.ts'
import {
  type OrdersRequest,
  OrdersResponse,
  orderPaths,
  type StandingOrder,
} from '../../../../../protocol/standing-order.ts'
import { compile } from '../../../../../protocol/validate.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { createAuthority } from '../../../../support/certificates.ts'
import { engineNames } from '../../../../support/databases.ts'
import { claimRequest } from '../../../../support/engine-room.ts'

const checkTypes = ['URL', 'API', 'TCP'] as const
const placed = { privateLocations: ['local'], locations: [], frequency: 1 }
const fits = compile(OrdersResponse)

const created = async ({ call }: TestApp, path: string, body: object): Promise<string> => {
  const answer = await call('POST', path, { body })
  if (answer.status !== 201) throw new Error(answer.text)
  return String(answer.body.id)
}

const urlCheck = (plane: TestApp, name: string, more: object = {}) =>
  created(plane, '/v1/checks/url', { name, ...placed, request: { url: 'https://shop.example/' }, ...more })

/** Everything from `after` on, page by page. */
const fetchOrders = async (plane: TestApp, given: Partial<OrdersRequest> = {}) => {
  const found = {
    orders: [] as StandingOrder[],
    removed: [] as string[],
    whole: false,
    pages: 0,
    revision: '',
  }
  let after = given.after ?? null
  do {
    const body = { agentId: 'agent-1', checkTypes: [...checkTypes], runtimeIds: [], ...given, after }
    const answer = await plane.call('POST', orderPaths.orders, { key: plane.agentKey, body })
    if (answer.status !== 200) throw new Error(answer.text)
    if (!fits(answer.body).ok) throw new Error(`That is no page of orders: ${answer.text}`)
    found.orders.push(...answer.body.orders)
    found.removed.push(...answer.body.removed)
    found.whole ||= answer.body.whole
    found.pages += 1
    found.revision = answer.body.revision
    after = answer.body.next
  } while (after !== null)
  return found
}

const named = (orders: readonly StandingOrder[]) => orders.map(({ job }) => job.checkName).sort()

const claim = async (plane: TestApp, revision: string | null, agentId = 'agent-1') => {
  const body = claimRequest({ agentId, maxUptime: 0, maxMain: 0, orders: { revision } })
  const answer = await plane.call('POST', '/agent/v1/claim', { key: plane.agentKey, body })
  return answer.body.orders
}

/** Longer than what is known is kept in memory. */
const later = async (plane: TestApp) => {
  await presenceTick(plane.app)
  plane.advance(6000)
}

for (const engine of engineNames) {
  const test = (name: string, body: (t: Test) => Promise<void>) => t.test(`${name} (${engine})`, body)

  test('orders are what a claim would bring, with how the run is judged and repeated', async (t) => {
    const plane = await testApp(t, { engine })
    await plane.call('POST', '/v1/variables', { body: { key: 'TOKEN', value: 'abc', secret: true } })
    const retryStrategy = { type: 'FIXED', baseBackoffSeconds: 5, maxRetries: 1 }
    const group = await plane.call('POST', '/v1/check-groups', {
      body: { name: 'shop', locations: [], privateLocations: [], retryStrategy, muted: true },
    })
    t.equal(group.status, 201, group.text)
    const limits = { degradedResponseTime: 100, maxResponseTime: 200 }
    await urlCheck(plane, 'site', { groupId: group.body.id, ...limits })
    await created(plane, '/v1/checks/api', {
      name: 'api',
      ...placed,
      retryStrategy: null,
      doubleCheck: false,
      request: { url: 'https://shop.example/{{TOKEN}}', method: 'GET' },
    })
    const { orders, whole, removed, revision } = await fetchOrders(plane)
    const byName = new Map(orders.map((order) => [order.job.checkName, order]))
    t.match(byName.get('site'), {
      version: 1,
      muted: true,
      retries: { type: 'FIXED', baseBackoffSeconds: 5, maxRetries: 1 },
      judgedBy: limits,
      slots: { periodMs: 60_000, locations: 1, position: 0, parallel: false, pauses: [] },
      job: {
        runLocation: 'local',
        runSource: 'SCHEDULER',
        spec: { request: { url: 'https://shop.example/' } },
      },
    })
    t.match(byName.get('api'), {
      muted: false,
      retries: null,
      job: { variables: [{ key: 'TOKEN', value: 'abc', secret: true }] },
    })
    t.notMatch(byName.get('api')?.job, { id: String })
    t.strictSame([whole, removed], [true, []])
    t.equal((await claim(plane, revision)).revision, revision, 'a claim says that there is nothing new')
  })

  test('agents of a public location have orders for the checks of every account', async (t) => {
    const plane = await testApp(t, { engine })
    const key = `pl_${'0'.repeat(32)}`
    await plane.app.db.run(insertLocationKey, {
      ...{ id: plane.app.newId(), locationId: 'eu-west-1', accountId: null },
      ...{ hash: keyHash(key), masked: '...', now: plane.app.clock.now() },
    })
    const ofPublic = { ...plane, agentKey: key }
    const other = await plane.addKey()
    const inPublic = { locations: ['eu-west-1'], privateLocations: [] }
    await urlCheck(plane, 'ours', inPublic)
    const body = { name: 'theirs', ...placed, ...inPublic, request: { url: 'https://shop.example/' } }
    t.equal((await plane.call('POST', '/v1/checks/url', { key: other.apiKey, body })).status, 201)
    const first = await fetchOrders(ofPublic)
    t.strictSame(named(first.orders), ['ours', 'theirs'])
    await later(plane)
    t.equal((await claim(ofPublic, first.revision)).revision, first.revision, 'nothing new')
    await urlCheck(plane, 'next', inPublic)
    await later(plane)
    t.not((await claim(ofPublic, first.revision)).revision, first.revision)
    const second = await fetchOrders(ofPublic, { after: first.revision })
    t.strictSame([named(second.orders), second.whole], [['next'], false])
  })

  test('only what changed travels; what is gone is said, and all where it has to be', async (t) => {
    const plane = await testApp(t, { engine })
    const ids = new Map<string, string>()
    for (const name of ['a', 'b', 'c', 'd']) ids.set(name, await urlCheck(plane, name))
    const { revision } = await fetchOrders(plane)
    plane.advance(120_000)
    t.strictSame(await fetchOrders(plane, { after: revision }), {
      orders: [],
      removed: [],
      whole: false,
      pages: 1,
      revision,
    })
    await plane.call('PUT', `/v1/checks/url/${ids.get('a')}`, { body: { muted: true } })
    await plane.call('PUT', `/v1/checks/url/${ids.get('b')}`, { body: { activated: false } })
    await plane.call('PUT', `/v1/checks/url/${ids.get('c')}`, { body: { standingOrders: false } })
    await plane.call('DELETE', `/v1/checks/${ids.get('d')}`)
    await later(plane)
    const known = await claim(plane, revision)
    t.not(known.revision, revision)
    const changed = await fetchOrders(plane, { after: revision })
    t.match(changed, { orders: [{ checkId: ids.get('a'), version: 2, muted: true }], whole: false })
    t.strictSame(
      changed.removed,
      ['b', 'c', 'd'].map((name) => ids.get(name) ?? '').sort(),
      'inactive, without orders, deleted',
    )
    t.equal(changed.revision, known.revision)
    plane.advance(120_000)
    await urlCheck(plane, 'e')
    const again = await fetchOrders(plane, { after: changed.revision })
    t.strictSame([named(again.orders), again.removed], [['e'], []])
    plane.advance(120_000)
    await plane.call('PUT', `/v1/checks/url/${ids.get('c')}`, { body: { standingOrders: true } })
    t.strictSame(named((await fetchOrders(plane, { after: again.revision })).orders), ['c'])
    t.equal((await fetchOrders(plane, { after: 'not one of ours' })).whole, true)
    const ahead = again.revision.replace(/^1\.\d+/, `1.${plane.app.clock.now() + 1e6}`)
    t.equal((await fetchOrders(plane, { after: ahead })).whole, true, 'of a store that was put back')
  })

  test('what concerns the whole account makes all its orders newer, a group those of its checks', async (t) => {
    const plane = await testApp(t, { engine })
    const group = await plane.call('POST', '/v1/check-groups', {
      body: { name: 'shop', locations: [], privateLocations: [] },
    })
    await urlCheck(plane, 'alone')
    await urlCheck(plane, 'grouped', { groupId: group.body.id })
    let { revision } = await fetchOrders(plane)
    const follows = async (what: string, names: string[], change: () => Promise<unknown>) => {
      plane.advance(120_000)
      await change()
      const { orders, whole, ...found } = await fetchOrders(plane, { after: revision })
      t.not(found.revision, revision, what)
      t.strictSame([named(orders), whole], [names, false], what)
      revision = found.revision
    }
    const all = ['alone', 'grouped']
    const send = async (method: string, path: string, body?: object) => {
      const answer = await plane.call(method, path, { body })
      if (answer.status >= 300) throw new Error(answer.text)
      return answer.body
    }
    await follows('a variable', all, () => send('POST', '/v1/variables', { key: 'A', value: 'b' }))
    await follows('its value', all, () => send('PUT', '/v1/variables/A', { value: 'c' }))
    await follows('its end', all, () => send('DELETE', '/v1/variables/A'))
    let snippet = 0
    await follows('a snippet', all, async () => {
      snippet = (await send('POST', '/v1/snippets', { name: 's', script: '1' })).id
    })
    await follows('its script', all, () => send('PUT', `/v1/snippets/${snippet}`, { name: 's', script: '2' }))
    await follows('its end', all, () => send('DELETE', `/v1/snippets/${snippet}`))
    await follows('a group', ['grouped'], () =>
      send('PUT', `/v1/check-groups/${group.body.id}`, { muted: true }),
    )
    await follows('a location', all, () =>
      send('PUT', `/v1/private-locations/${plane.locationId}`, { name: 'here' }),
    )
    const now = plane.app.clock.now()
    let window = 0
    await follows('maintenance', all, async () => {
      const body = {
        name: 'upgrade',
        startsAt: new Date(now + 3 * 86_400_000).toISOString(),
        endsAt: new Date(now + 3 * 86_400_000 + 3_600_000).toISOString(),
        pauseAllChecks: true,
        tags: [],
      }
      window = (await send('POST', '/v1/maintenance-windows', body)).id
    })
    const pauses = async () => (await fetchOrders(plane)).orders[0]?.slots.pauses.length
    t.equal(await pauses(), 0, 'it is known ahead for twice as long as orders are held')
    await follows('a day later', all, async () => plane.advance(86_400_000))
    t.equal(await pauses(), 1)
    await follows('its end', all, () => send('DELETE', `/v1/maintenance-windows/${window}`))
  })

  test('orders are what the agent can run, of its location, in pages of bounded size', async (t) => {
    const plane = await testApp(t, { engine })
    const request = { hostname: 'shop.example', port: 443 }
    await created(plane, '/v1/checks/tcp', { name: 'tcp', ...placed, request })
    for (let n = 0; n < 5; n++) await urlCheck(plane, `url ${n}`, { description: 'x'.repeat(500) })
    await urlCheck(plane, 'elsewhere', { privateLocations: [], locations: ['eu-west-1'] })
    t.strictSame(named((await fetchOrders(plane, { checkTypes: ['TCP'] })).orders), ['tcp'])
    const all = await fetchOrders(plane)
    t.equal(all.orders.length, 6)
    const body = 'y'.repeat(250_000)
    for (let n = 0; n < 5; n++)
      await created(plane, '/v1/checks/api', {
        name: `long ${n}`,
        ...placed,
        request: { url: 'https://shop.example/', method: 'POST', body },
      })
    const paged = await fetchOrders(plane)
    t.ok(paged.pages > 1, 'a page is bounded')
    t.equal(new Set(paged.orders.map(({ checkId }) => checkId)).size, 11)
    t.equal(paged.orders.length, 11, 'each once')
    const other = await plane.call('POST', orderPaths.orders, {
      key: `pl_${randomBytes(16).toString('hex')}`,
      body: { agentId: 'a', checkTypes: [], runtimeIds: [], after: null },
    })
    t.equal(other.status, 401, 'nobody else gets them')
  })

  test('few orders among many checks are one page, and many are each there once', async (t) => {
    const plane = await testApp(t, { engine })
    for (let n = 0; n < 250; n++) await urlCheck(plane, `url ${n}`)
    await created(plane, '/v1/checks/tcp', {
      name: 'tcp',
      ...placed,
      request: { hostname: 'shop.example', port: 443 },
    })
    const few = await fetchOrders(plane, { checkTypes: ['TCP'] })
    t.strictSame([named(few.orders), few.pages, few.whole], [['tcp'], 1, true])
    const all = await fetchOrders(plane)
    t.equal(new Set(all.orders.map(({ checkId }) => checkId)).size, 251)
    t.equal(all.orders.length, 251, 'each once')
    t.equal(all.pages, 2)
  })

  test('a client certificate is sealed to the agent, with the id of the check', async (t) => {
    const plane = await testApp(t, { engine })
    const own = createAuthority().issue({ altName: 'DNS:client' })
    await created(plane, '/v1/client-certificates', { host: 'shop.example', ...own })
    await urlCheck(plane, 'site')
    const box = createCertificateBox()
    const { orders } = await fetchOrders(plane, { sealTo: box.publicKey })
    const [{ checkId, job } = { checkId: '', job: undefined }] = orders
    t.match(box.open(job?.certificate?.sealed ?? '', checkId), { cert: own.cert })
    t.notOk((await fetchOrders(plane)).orders[0]?.job.certificate, 'without a key there is none')
  })

  test('who holds orders is known, and shares the due times of the location', async (t) => {
    const plane = await testApp(t, { engine })
    const holders = () => plane.app.db.select((k) => k.selectFrom('order_holders').selectAll())
    t.match(await claim(plane, null), { agents: [], holdMs: 86_400_000, secondOwnerAfterMs: 15_000 })
    t.strictSame(await holders(), [])
    const { revision } = await fetchOrders(plane)
    await claim(plane, revision, 'agent-2')
    await claim(plane, revision, 'agent-1')
    await later(plane)
    t.strictSame((await claim(plane, revision, 'agent-1')).agents, ['agent-1', 'agent-2'])
    const [first] = await holders()
    t.match(first, { told_at: plane.app.clock.now() - 6000 }, 'written once a minute')
    plane.advance(60_000)
    await claim(plane, revision, 'agent-1')
    await later(plane)
    t.strictSame((await claim(plane, revision, 'agent-1')).agents, ['agent-1'], 'who is gone shares nothing')
    await claim(plane, null, 'agent-1')
    t.strictSame(
      (await holders()).map(({ agent_id }) => agent_id),
      ['agent-2'],
      'nor who has forgotten them',
    )
    plane.advance(9 * 86_400_000)
    const gone = await urlCheck(plane, 'gone')
    await plane.call('DELETE', `/v1/checks/${gone}`)
    const changes = () => plane.app.db.select((k) => k.selectFrom('configuration_changes').selectAll())
    const tick = retentionTick(retentionKinds)
    const sweep = async () => {
      for (let n = 0; n < 3; n++) {
        plane.advance(3_600_000)
        await tick(plane.app, new AbortController().signal)
      }
    }
    await sweep()
    t.strictSame(await holders(), [], 'it ends')
    t.match(await changes(), [{ check_id: gone, writes: -1 }])
    plane.advance(8 * 86_400_000)
    await sweep()
    t.strictSame(await changes(), [])
  })

  test('without standing orders agents are told that there are none', async (t) => {
    const plane = await testApp(t, { engine, env: { STANDING_ORDERS_HOURS: '0' } })
    t.strictSame(await claim(plane, '1.1.1.1'), {
      revision: null,
      agents: [],
      holdMs: 0,
      secondOwnerAfterMs: null,
    })
    const body = claimRequest({ maxUptime: 0, maxMain: 0 })
    const answer = await plane.call('POST', '/agent/v1/claim', { key: plane.agentKey, body })
    t.notOk('orders' in answer.body, 'an agent that keeps none is told nothing')
  })
}
