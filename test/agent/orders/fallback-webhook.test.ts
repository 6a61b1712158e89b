// Runs in test:all only: it lets hours without a control plane go by.
// Runs in a process of its own: time goes by in it as the test says.
import { createHmac } from 'node:crypto'
import t, { type Test } from 'tap'
import { fakeClock } from '../../support/fake-clock.ts'
import { ordersPlane, passUntil, standingAgent, standingOrder } from '../../support/orders-plane.ts'
import { httpServer } from '../../support/servers.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

type Told = {
  at: number
  path: string
  headers: Record<string, string | string[] | undefined>
  text: string
  body: Record<string, unknown>
}

const secret = 'shared with the receiver'

const setUp = async (t: Test, count = 1) => {
  const clock = fakeClock()
  const plane = await ordersPlane(t, clock)
  const down = new Set<string>()
  const target = await httpServer(t, ({ url }, response) => {
    response.statusCode = down.has(url ?? '') ? 500 : 200
    response.end()
  })
  plane.orders = Array.from({ length: count }, (_, index) =>
    standingOrder(`c${index}`, `${target.origin}/c${index}`),
  )
  const told: Told[] = []
  const receiver = { status: 200 }
  const webhook = await httpServer(t, async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const { url: path = '', headers } = request
    if (receiver.status < 300)
      told.push({ at: clock.monotonic(), path, headers, text, body: JSON.parse(text) as Told['body'] })
    response.statusCode = receiver.status
    response.end()
  })
  const env = {
    FALLBACK_WEBHOOK_URL: `${webhook.origin.replace('://', '://user:word@')}/hook?of=us`,
    FALLBACK_WEBHOOK_SECRET: secret,
    FALLBACK_AFTER: '2m',
    SPOOL_DIR: temporaryFolder(t),
  }
  const start = () => standingAgent(t, plane, { clock, env })
  const agent = await start()
  await passUntil(clock, 'the orders', () => plane.claims.at(-1)?.orders?.revision === 'r1')
  return { clock, plane, down, told, receiver, agent, start }
}

const titles = (told: Told[]): unknown[] => told.map(({ body }) => body['alert_type'])

t.test('nobody is told of an absence that is over soon', async (t) => {
  const { plane, down, told, agent, clock } = await setUp(t)
  plane.away = true
  down.add('/c0')
  await passUntil(clock, 'it is alone', () => agent.agent.levels().alone === 1)
  plane.away = false
  await passUntil(clock, 'it is back', () => agent.agent.levels().alone === 0)
  await agent.pass(200_000)
  t.same(told, [])
})

t.test('somebody is told once that the control plane is away, then of each check that changes', async (t) => {
  const { plane, down, told, agent, clock } = await setUp(t, 3)
  plane.away = true
  const awayAt = clock.monotonic()
  await passUntil(clock, 'the first message', () => told.length === 1)
  t.ok(Math.abs((told[0]?.at ?? 0) - awayAt - 120_000) < 10_000, 'after two minutes')
  const [first] = told as [Told]
  t.match(first.body, {
    alert_type: 'CONTROL_PLANE_UNREACHABLE',
    source: 'agent',
    check_id: null,
    run_location: 'here',
  })
  t.equal(first.path, '/hook?of=us')
  t.match(first.headers, {
    authorization: `Basic ${Buffer.from('user:word').toString('base64')}`,
    'content-type': 'application/json',
    'x-service-signature': createHmac('sha256', secret).update(first.text).digest('hex'),
    'x-service-notification-id': first.body['notification_id'] as string,
  })
  await agent.pass(180_000)
  t.equal(told.length, 1, 'once, and nothing of what is well')
  down.add('/c1')
  await agent.pass(240_000)
  t.same(titles(told), ['CONTROL_PLANE_UNREACHABLE', 'ALERT_FAILURE'])
  t.match(told[1]?.body, {
    alert_title: 'Check "check c1" has failed',
    check_id: 'c1',
    check_type: 'URL',
    source: 'agent',
    error_message: String,
    is_reminder: false,
  })
  down.delete('/c1')
  await agent.pass(240_000)
  t.same(titles(told).slice(2), ['ALERT_RECOVERY'])
  plane.away = false
  await passUntil(clock, 'what was told', () => plane.lateRequests.some(({ told: one }) => one !== undefined))
  t.match(plane.lateRequests.find((one) => one.told !== undefined)?.told, [
    { checkId: 'c1', state: 'passing' },
  ])
  await passUntil(clock, 'all of it', () => agent.agent.levels().lateReports === 0)
  t.equal(plane.lateRequests.filter((one) => one.told !== undefined).length, 1, 'once')
  t.equal(told.length, 3)
  t.notOk(
    agent.lines.some((line) => /hook|user:word|shared with/.test(line)),
    'the log shows nothing of it',
  )
  t.match((await agent.probe('/metrics')).text, /fallback_messages_total\{outcome="told"\} 3/)
})

t.test('when everything fails, messages come one by one at a bounded rate', async (t) => {
  const { plane, down, told, clock } = await setUp(t, 30)
  for (let index = 0; index < 30; index += 1) down.add(`/c${index}`)
  plane.away = true
  await passUntil(clock, 'all of them', () => told.length === 31)
  const gaps = told.slice(2).map(({ at }, index) => at - (told[index + 1]?.at ?? 0))
  t.ok(
    gaps.every((gap) => gap >= 1500),
    `${Math.min(...gaps)} ms apart at least`,
  )
  t.equal(new Set(told.slice(1).map(({ body }) => body['check_id'])).size, 30)
})

t.test('muted checks are told to nobody, and what failed before is no change', async (t) => {
  const { plane, down, told, agent, clock } = await setUp(t, 1)
  plane.orders = [{ ...(plane.orders[0] ?? (t.fail() as never)), muted: true }]
  plane.known = { ...(plane.known ?? (t.fail() as never)), revision: 'r2' }
  await passUntil(clock, 'the change', () => plane.claims.at(-1)?.orders?.revision === 'r2')
  down.add('/c0')
  plane.away = true
  await agent.pass(400_000)
  t.same(titles(told), ['CONTROL_PLANE_UNREACHABLE'])
})

t.test('an address that is away itself is asked again, and a restart tells nothing twice', async (t) => {
  const { plane, down, told, receiver, agent, clock, start } = await setUp(t)
  receiver.status = 503
  down.add('/c0')
  plane.away = true
  await agent.pass(150_000)
  t.same(told, [])
  receiver.status = 200
  await passUntil(clock, 'both messages', () => told.length === 2)
  t.same(titles(told), ['CONTROL_PLANE_UNREACHABLE', 'ALERT_FAILURE'])
  await agent.pass(5000)
  const stopped = agent.stop()
  await passUntil(clock, 'the stop', () => agent.lines.some((line) => line.startsWith('drained')))
  await stopped
  const next = await start()
  await next.pass(400_000)
  t.equal(told.length, 2)
  plane.away = false
  await passUntil(clock, 'what was told', () => plane.lateRequests.some((one) => one.told !== undefined))
  t.match(plane.lateRequests.find((one) => one.told !== undefined)?.told, [
    { checkId: 'c0', state: 'failing' },
  ])
})
