// Runs in test:all only: each pitfall is an outage of its own.
// Runs in a process of its own: time goes by in it as the test says.
/** What users of other systems met while their control plane was away. Those of its return are in test/control-plane/monitoring/outage-pitfalls.test.ts. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { LateReport } from '../../../protocol/standing-order.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { ordersPlane, passUntil, standingAgent, standingOrder } from '../../support/orders-plane.ts'
import { httpServer } from '../../support/servers.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const periodMs = 60_000

/** As many agents of a location as are asked for, each with `orders` orders of a check each minute. */
const setUp = async (t: Test, { agents = 1, orders = 2, env = {} as Record<string, string> } = {}) => {
  const clock = fakeClock()
  const plane = await ordersPlane(t, clock)
  const failing = new Set<string>()
  const target = await httpServer(t, ({ url = '/' }, response) => {
    response.statusCode = failing.has(url) ? 500 : 200
    response.end()
  })
  const secret = { key: 'TOKEN', value: 'word-of-the-customer', locked: false, secret: true }
  plane.orders = Array.from({ length: orders }, (_, index) => {
    const order = standingOrder(`c${index}`, `${target.origin}/c${index}`)
    return { ...order, job: { ...order.job, variables: [secret] } }
  })
  const spools = Array.from({ length: agents }, () => temporaryFolder(t))
  const start = (spool: string) => standingAgent(t, plane, { clock, env: { SPOOL_DIR: spool, ...env } })
  const running = await Promise.all(spools.map(start))
  const ids = () => [...new Set(plane.claims.map(({ agentId }) => agentId))].sort()
  const haveOrders = (revision: string): boolean =>
    ids().length === agents &&
    ids().every((id) => plane.claims.findLast((one) => one.agentId === id)?.orders?.revision === revision)
  await passUntil(clock, 'the orders', () => haveOrders('r1'))
  plane.known = { revision: 'r2', agents: ids(), holdMs: 24 * 3_600_000, secondOwnerAfterMs: 15_000 }
  await passUntil(clock, 'the owners', () => haveOrders('r2'))
  const [first] = running
  if (first === undefined) throw new Error('there is no agent')
  const serverNow = () => clock.now() + plane.aheadMs
  const allSent = () => running.every(({ agent }) => agent.levels().lateReports === 0)
  return { clock, plane, failing, spools, start, running, first, ids, serverNow, allSent }
}

const minutesBetween = (from: number, to: number): number[] => {
  const dues: number[] = []
  for (let due = Math.ceil(from / periodMs) * periodMs; due <= to; due += periodMs) dues.push(due)
  return dues
}

t.test('pitfall 2, the drain starves the living: a live result goes before those that wait', async (t) => {
  const { clock, plane, first } = await setUp(t, { orders: 40 })
  plane.away = true
  await first.pass(620_000)
  plane.away = false
  await passUntil(clock, 'the drain', () => plane.late.length > 0)
  const { job } = plane.orders[0] as (typeof plane.orders)[0]
  const dueAt = clock.now() + plane.aheadMs
  const one = { id: 'live', fence: 1, checkRunId: 1, sequenceId: 's', attempt: 1, dueAt, runAt: dueAt }
  plane.jobs.push({ ...job, checkId: 'other', ...one })
  await passUntil(clock, 'the live result', () => plane.reports.some(({ jobId }) => jobId === 'live'))
  t.ok(first.agent.levels().lateReports > 0, 'and the drain goes on behind it')
  const dues = plane.late.map(({ dueAt: due }) => due)
  t.strictSame(
    dues,
    dues.toSorted((a, b) => b - a),
    'newest first',
  )
})

t.test(
  // That agents are not in step is in late-lane.test.ts, where no busy machine brings two requests into one moment.
  'pitfall 2, the drain starves the living: it waits when it is told to, and so do others',
  async (t) => {
    const { clock, plane, first, running, allSent } = await setUp(t, { agents: 3, orders: 20 })
    plane.away = true
    await first.pass(620_000)
    plane.away = false
    plane.lateRefusals = [{ status: 503, retryAfter: 30 }]
    await passUntil(clock, 'the drain', allSent)
    t.ok(running.every(({ agent }) => agent.levels().alone === 0))
    t.ok(plane.lateRequests.every(({ reports }) => reports.length <= 100))
    const [refusedAt = 0] = plane.lateTimes
    t.ok(
      plane.lateTimes.some((at) => at >= refusedAt + 30_000),
      'after as long as it was told to wait',
    )
  },
)

t.test("pitfall 4, clocks: the machine's is set meanwhile, and no due time moves", async (t) => {
  const { clock, plane, first, allSent } = await setUp(t)
  plane.away = true
  await first.pass(90_000)
  const { now } = clock
  const { aheadMs } = plane
  for (const hours of [-5, 7, 0]) {
    clock.now = () => now() + hours * 3_600_000
    // The control plane's own clock stays what it is.
    plane.aheadMs = aheadMs - hours * 3_600_000
    await first.pass(120_000)
  }
  t.ok(first.agent.levels().lateReports > 0)
  plane.away = false
  await passUntil(clock, 'the drain', allSent)
  for (const { dueAt, startedAt } of plane.late) {
    t.equal(dueAt % periodMs, 0)
    t.ok(startedAt >= dueAt && startedAt < dueAt + periodMs, 'in its own slot')
  }
  const dues = plane.late.filter(({ checkId }) => checkId === 'c0').map(({ dueAt }) => dueAt)
  const [latest = 0, ...earlier] = dues
  for (const [index, due] of earlier.entries()) t.equal(due, latest - (index + 1) * periodMs, 'each once')
})

t.test('pitfall 5, old orders end: nothing is run by one that is older than it may be', async (t) => {
  const { clock, plane, first, ids, serverNow, allSent } = await setUp(t)
  plane.known = { revision: 'r2', agents: ids(), holdMs: 300_000, secondOwnerAfterMs: null }
  const { length } = plane.claims
  await passUntil(clock, 'the answer', () => plane.claims.length > length + 1)
  const awayAt = serverNow()
  plane.away = true
  await first.pass(900_000)
  t.equal(first.agent.levels().standingOrders, 0)
  plane.away = false
  await passUntil(clock, 'the drain', allSent)
  t.ok(plane.late.length >= 8)
  t.ok(plane.late.every(({ dueAt }) => dueAt <= awayAt + 300_000))
})

t.test(
  'pitfall 6, secrets: on disk they are encrypted, and a revoked key ends them there, too',
  async (t) => {
    const { clock, plane, first, spools } = await setUp(t)
    const [spool = ''] = spools
    const journals = () => readdirSync(spool).filter((name) => name.endsWith('.journal'))
    const isReadable = () =>
      readdirSync(spool, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes('word-of-the-customer'))
    t.equal(journals().length, 1)
    plane.away = true
    await first.pass(180_000)
    t.notOk(isReadable())
    plane.away = false
    plane.revoked = true
    await passUntil(clock, 'the end', () => first.agent.levels().standingOrders === 0)
    t.strictSame(journals(), [])
    const { late } = plane
    const count = late.length
    await first.pass(300_000)
    t.equal(plane.late.length, count, 'and nothing is reported')
  },
)

t.test(
  'pitfall 7, two agents: each due time has one owner, and a second one when that is gone',
  async (t) => {
    const { clock, plane, running, spools, start, serverNow } = await setUp(t, { agents: 2, orders: 3 })
    const [dying, staying] = running as [(typeof running)[0], (typeof running)[0]]
    const awayAt = serverNow()
    plane.away = true
    await staying.pass(300_000)
    const stopped = dying.stop()
    await passUntil(clock, 'the stop', () => dying.lines.some((line) => line.startsWith('drained')))
    await stopped
    await staying.pass(300_000)
    const backAt = serverNow()
    plane.away = false
    await passUntil(clock, 'the drain', () => staying.agent.levels().lateReports === 0)
    const again = await start(spools[0] as string)
    await passUntil(clock, 'what the other had', () => again.agent.levels().lateReports === 0)
    const runs = Map.groupBy(plane.late, ({ checkId, dueAt }) => `${checkId} ${dueAt}`)
    // The last one's second owner may still wait for its turn.
    for (const due of minutesBetween(awayAt, backAt - 20_000))
      for (const { checkId } of plane.orders) t.ok(runs.has(`${checkId} ${due}`), `${checkId} ${due}`)
    for (const [slot, reports] of runs) {
      t.equal(new Set(reports.map(({ jobId }) => jobId)).size, 1, `${slot}: one id, whoever ran it`)
      t.ok(reports.length <= 2)
      const delays = reports.map(delayOf).toSorted((a, b) => a - b)
      if (reports.length === 2) t.ok((delays[1] ?? 0) >= 15_000, 'the second one has waited')
    }
  },
)

const delayOf = ({ startedAt, dueAt }: LateReport): number => startedAt - dueAt

t.test('pitfall 8, retries: the agent decides alone, and ends a run as its check says', async (t) => {
  const { clock, plane, failing, first, allSent } = await setUp(t)
  const retries = { type: 'FIXED', baseBackoffSeconds: 5, maxRetries: 1 }
  plane.orders = plane.orders.map((order) => ({ ...order, retries }))
  plane.known = { ...(plane.known as NonNullable<typeof plane.known>), revision: 'r3' }
  await passUntil(clock, 'the change', () => plane.claims.at(-1)?.orders?.revision === 'r3')
  plane.away = true
  failing.add('/c0')
  await first.pass(150_000)
  plane.away = false
  const byDueTime = () => [...Map.groupBy(plane.late, ({ checkId, dueAt }) => `${checkId} ${dueAt}`).values()]
  // A second attempt may be on its way when the first ones have been sent.
  const allOver = () => byDueTime().every((reports) => reports.some(({ retried }) => !retried))
  await passUntil(clock, 'the drain', () => allSent() && allOver())
  for (const reports of byDueTime()) {
    const attempts = reports.map(({ attempt, retried }) => `${attempt} ${retried}`).toSorted()
    t.strictSame(attempts, reports[0]?.checkId === 'c0' ? ['1 true', '2 false'] : ['1 false'])
  }
})

t.test(
  'pitfall 9, telling somebody at all: the agent calls for help, once, and of each change',
  async (t) => {
    const told: { alert_type: string; source: string }[] = []
    const webhook = await httpServer(t, async (request, response) => {
      let text = ''
      for await (const part of request) text += part
      told.push(JSON.parse(text))
      response.end()
    })
    const env = { FALLBACK_WEBHOOK_URL: `${webhook.origin}/`, FALLBACK_AFTER: '2m' }
    const { clock, plane, failing, first } = await setUp(t, { env })
    plane.away = true
    await first.pass(200_000)
    t.match(told, [{ alert_type: 'CONTROL_PLANE_UNREACHABLE', source: 'agent' }])
    failing.add('/c1')
    await first.pass(300_000)
    t.strictSame(
      told.map(({ alert_type }) => alert_type),
      ['CONTROL_PLANE_UNREACHABLE', 'ALERT_FAILURE'],
    )
    plane.away = false
    const isKnown = () => plane.lateRequests.some((one) => one.told?.some(({ checkId }) => checkId === 'c1'))
    await passUntil(clock, 'what was told', isKnown)
  },
)

for (const hangs of ['silent', 'half', 'page'] as const)
  t.test(`pitfall 11, agents that hang when the API vanishes: it answers (${hangs})`, async (t) => {
    const { clock, plane, first, allSent, serverNow } = await setUp(t)
    const awayAt = serverNow()
    plane.hangs = hangs
    await passUntil(clock, 'that it is alone', () => first.agent.levels().alone === 1)
    await first.pass(300_000)
    t.equal((await first.probe('/-/liveness')).status, 200)
    t.ok(first.agent.levels().lateReports >= 2 * 4)
    const backAt = serverNow()
    plane.hangs = null
    await passUntil(clock, 'that it is back', () => first.agent.levels().alone === 0)
    t.ok(serverNow() - backAt < 120_000, 'without a restart')
    await passUntil(clock, 'the drain', allSent)
    const dues = new Set(plane.late.map(({ checkId, dueAt }) => `${checkId} ${dueAt}`))
    for (const due of minutesBetween(awayAt, backAt))
      for (const { checkId } of plane.orders) t.ok(dues.has(`${checkId} ${due}`), `${checkId} ${due}`)
    plane.hangs = hangs
    await first.pass(60_000)
    const stopping = first.stop()
    let stopped = false
    stopping.then(() => {
      stopped = true
    })
    await passUntil(clock, 'that it has stopped', () => stopped)
  })
