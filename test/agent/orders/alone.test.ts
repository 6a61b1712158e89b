// Runs in a process of its own: time goes by in it as the test says.
import t, { type Test } from 'tap'
import { slotIdOf } from '../../../protocol/slot-id.ts'
import type { LateReport } from '../../../protocol/standing-order.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import {
  ordersLocation,
  ordersPlane,
  passUntil,
  standingAgent,
  standingOrder,
} from '../../support/orders-plane.ts'
import { httpServer } from '../../support/servers.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const setUp = async (t: Test, change: { orders?: number } = {}) => {
  const clock = fakeClock()
  const plane = await ordersPlane(t, clock)
  const target = await httpServer(t, (_, response) => response.end('ok'))
  const count = change.orders ?? 1
  plane.orders = Array.from({ length: count }, (_, index) => standingOrder(`c${index}`, target.origin))
  const spool = temporaryFolder(t)
  const start = async (env: Record<string, string> = {}) => {
    const agent = await standingAgent(t, plane, { clock, env: { SPOOL_DIR: spool, ...env } })
    return agent
  }
  const ready = async () => {
    const agent = await start()
    await passUntil(clock, 'the orders', () => plane.claims.at(-1)?.orders?.revision === 'r1')
    return agent
  }
  const serverNow = () => clock.now() + plane.aheadMs
  return { clock, plane, target, start, ready, serverNow }
}

const dueTimes = (from: number, to: number): number[] => {
  const slots: number[] = []
  for (let due = Math.ceil(from / 60_000) * 60_000; due <= to; due += 60_000) slots.push(due)
  return slots
}

t.test('only what differs is asked for', async (t) => {
  const { plane, ready, clock } = await setUp(t, { orders: 7 })
  plane.pageSize = 3
  const agent = await ready()
  t.same(
    plane.asked.map(({ after }) => after),
    [null, '3', '6'],
  )
  t.equal(agent.agent.levels().standingOrders, 7)
  await agent.pass(120_000)
  t.equal(plane.asked.length, 3, 'an idle agent asks for nothing')
  plane.known = { ...(plane.known ?? (t.fail() as never)), revision: 'r2' }
  plane.orders = []
  plane.removed = ['c1', 'c2']
  await passUntil(clock, 'the change', () => plane.claims.at(-1)?.orders?.revision === 'r2')
  t.equal(plane.asked.at(-1)?.after, 'r1')
  t.equal(agent.agent.levels().standingOrders, 5)
  const { text } = await agent.probe('/metrics')
  t.match(text, /watchpost_agent_standing_orders 5\n/)
})

t.test('a whole set replaces what no page of it brings', async (t) => {
  const { plane, ready, clock, target } = await setUp(t, { orders: 3 })
  const agent = await ready()
  await agent.stop()
  plane.known = { ...(plane.known ?? (t.fail() as never)), revision: 'r9' }
  plane.orders = [standingOrder('new', target.origin)]
  // The next agent has what the first one kept, and a control plane that has forgotten how it got there.
  const next = await standingAgent(t, plane, { clock })
  await passUntil(clock, 'the orders', () => plane.claims.at(-1)?.orders?.revision === 'r9')
  t.equal(next.agent.levels().standingOrders, 1)
})

t.test(
  'every due time of an outage is run once, in its slot, and told when the control plane is back',
  async (t) => {
    const { plane, ready, clock, serverNow } = await setUp(t, { orders: 3 })
    const agent = await ready()
    const [lastAt] = [serverNow()]
    plane.away = true
    await agent.pass(20_000)
    t.equal(agent.agent.levels().alone, 1)
    t.match((await agent.probe('/health')).text, /^ok\nalone: .* 3 standing orders/)
    t.equal((await agent.probe('/-/liveness')).status, 200)
    await agent.pass(600_000)
    const backAt = serverNow()
    t.equal(plane.late.length, 0)
    plane.away = false
    await passUntil(clock, 'the late reports', () => plane.late.length >= 3 * dueTimes(lastAt, backAt).length)
    await agent.pass(5000)
    const expected = ['c0', 'c1', 'c2'].flatMap((checkId) =>
      dueTimes(lastAt, backAt).map((dueAt) =>
        slotIdOf({ checkId, location: ordersLocation, dueAt, attempt: 1 }),
      ),
    )
    t.same(plane.late.map(({ jobId }) => jobId).toSorted(), expected.toSorted())
    for (const { startedAt, dueAt } of plane.late)
      t.ok(startedAt >= dueAt && startedAt < dueAt + 60_000, 'by the clock of the control plane')
    t.match(plane.late[0], {
      fence: 1,
      version: 3,
      attempt: 1,
      retried: false,
      outcome: { kind: 'observed' },
    })
    const due = plane.late.map(({ dueAt }) => dueAt)
    t.same(
      due,
      due.toSorted((a, b) => b - a),
      'the newest first',
    )
    const told = plane.claims.find(({ orders }) => orders?.late !== undefined)?.orders?.late
    t.match(told, { reports: expected.length, firstDueAt: Math.min(...due), lastDueAt: Math.max(...due) })
    t.equal(plane.claims.at(-1)?.orders?.late, undefined, 'until they are taken')
    t.equal(agent.agent.levels().alone, 0)
    t.equal(agent.agent.levels().lateReports, 0)
    t.ok(agent.lines.some((line) => line.startsWith('alone: the control plane has not answered')))
    await agent.pass(300_000)
    t.equal(plane.late.length, expected.length, 'nothing is run any more')
  },
)

t.test('what the control plane had handed out is not run again', async (t) => {
  const { plane, ready, clock, serverNow, target } = await setUp(t)
  const agent = await ready()
  const dueAt = Math.ceil(serverNow() / 60_000) * 60_000
  await passUntil(clock, 'a moment before it is due', () => serverNow() >= dueAt - 8000)
  const { job } = standingOrder('c0', target.origin)
  plane.jobs.push({
    ...job,
    id: 'live',
    fence: 1,
    checkRunId: 1,
    sequenceId: 's',
    attempt: 1,
    dueAt,
    runAt: dueAt,
  })
  const claims = plane.claims.length
  await passUntil(clock, 'the claim', () => plane.claims.length > claims + 1)
  plane.away = true
  await agent.pass(90_000)
  plane.away = false
  await passUntil(clock, 'what was seen', () => plane.reports.length > 0 && plane.late.length > 0)
  await agent.pass(5000)
  t.same(
    plane.reports.map(({ jobId }) => jobId),
    ['live'],
  )
  t.notOk(plane.late.some((one) => one.dueAt === dueAt))
})

t.test(
  'an agent that dies seconds after its last answer does not run again what it ran before',
  async (t) => {
    const { plane, ready, start, clock, serverNow, target } = await setUp(t)
    const first = await ready()
    const dueAt = Math.ceil(serverNow() / 60_000) * 60_000
    await passUntil(clock, 'a moment before it is due', () => serverNow() >= dueAt - 8000)
    const { job } = standingOrder('c0', target.origin)
    const id = slotIdOf({ checkId: 'c0', location: ordersLocation, dueAt, attempt: 1 })
    plane.jobs.push({ ...job, id, fence: 1, checkRunId: 1, sequenceId: id, attempt: 1, dueAt, runAt: dueAt })
    await passUntil(clock, 'its result', () => plane.reports.length > 0)
    await first.pass(20_000)
    plane.away = true
    const stopped = first.stop()
    await passUntil(clock, 'the stop', () => first.lines.some((line) => line.startsWith('drained')))
    await stopped
    const second = await start()
    await second.pass(90_000)
    plane.away = false
    await passUntil(clock, 'the late reports', () => plane.late.length > 0)
    await second.pass(5000)
    t.same(
      plane.reports.map(({ jobId }) => jobId),
      [id],
    )
    t.notOk(plane.late.some((one) => one.dueAt === dueAt))
  },
)

t.test('a restart while the control plane is away ends nothing, and repeats nothing', async (t) => {
  const { plane, ready, start, clock, serverNow } = await setUp(t)
  const first = await ready()
  const lastAt = serverNow()
  plane.away = true
  await first.pass(200_000)
  // As after kill -9: the first is left as it is, and its spool is taken over.
  const stopped = first.stop()
  await passUntil(clock, 'the stop', () => first.lines.some((line) => line.startsWith('drained')))
  await stopped
  const second = await start()
  t.equal(second.agent.levels().standingOrders, 1)
  t.ok(second.lines.some((line) => line.includes('standing orders of an earlier run')))
  await second.pass(240_000)
  t.equal(second.agent.levels().alone, 1)
  const backAt = serverNow()
  plane.away = false
  await passUntil(clock, 'the late reports', () => plane.late.length >= dueTimes(lastAt, backAt).length)
  await second.pass(5000)
  const due = plane.late.map((one) => one.dueAt).toSorted()
  t.same(due, dueTimes(lastAt, backAt))
})

t.test('orders end with their time, with their key, and when the control plane gives none', async (t) => {
  const { plane, ready, clock } = await setUp(t)
  plane.known = { ...(plane.known ?? (t.fail() as never)), holdMs: 120_000 }
  const agent = await ready()
  plane.away = true
  await agent.pass(300_000)
  t.equal(agent.agent.levels().standingOrders, 0, 'two minutes are over')
  t.equal(agent.agent.levels().lateReports, 2)
  plane.away = false
  await passUntil(clock, 'orders again', () => agent.agent.levels().standingOrders === 1)
  plane.revoked = true
  await passUntil(clock, 'the end', () => agent.agent.levels().standingOrders === 0)
  plane.revoked = false
  await passUntil(clock, 'orders again', () => agent.agent.levels().standingOrders === 1)
  plane.known = { ...plane.known, revision: null }
  await passUntil(clock, 'the end', () => agent.agent.levels().standingOrders === 0)
  t.ok(agent.lines.some((line) => line.includes('does not know the key')))
})

t.test('a clock of the machine that is set while the agent is alone moves no due time', async (t) => {
  const { plane, ready, clock, serverNow } = await setUp(t)
  const agent = await ready()
  const lastAt = serverNow()
  plane.away = true
  await agent.pass(60_000)
  const { now } = clock
  // The control plane's clock stays what it is.
  clock.now = () => now() - 7_200_000
  plane.aheadMs += 7_200_000
  await agent.pass(60_000)
  clock.now = () => now() + 7_200_000
  plane.aheadMs -= 14_400_000
  await agent.pass(60_000)
  const backAt = serverNow()
  plane.away = false
  await passUntil(clock, 'the late reports', () => plane.late.length >= dueTimes(lastAt, backAt).length)
  t.same(plane.late.map((one) => one.dueAt).toSorted(), dueTimes(lastAt, backAt))
})

t.test('a machine that sleeps while it is alone runs behind by as long as it slept', async (t) => {
  const { plane, ready, clock, serverNow } = await setUp(t)
  const agent = await ready()
  const lastAt = serverNow()
  plane.away = true
  await agent.pass(60_000)
  const { now } = clock
  const sleptMs = 1_800_000
  // Its clock and that of the control plane have gone on, and nothing on it has noticed.
  clock.now = () => now() + sleptMs
  await agent.pass(120_000)
  const backAt = serverNow()
  const expected = dueTimes(lastAt, backAt - sleptMs)
  plane.away = false
  await passUntil(clock, 'the late reports', () => plane.late.length >= expected.length)
  t.same(plane.late.map((one) => one.dueAt).toSorted(), expected)
})

t.test('an agent that is stopped while it is alone keeps what it saw, and begins nothing', async (t) => {
  const { plane, ready, start, clock } = await setUp(t)
  const agent = await ready()
  plane.away = true
  await agent.pass(130_000)
  const { lateReports } = agent.agent.levels()
  t.ok(lateReports >= 1)
  const stopped = agent.stop()
  await passUntil(clock, 'the stop', () => agent.lines.some((line) => line.startsWith('drained')))
  await stopped
  await agent.pass(300_000)
  t.equal(agent.agent.levels().lateReports, lateReports)
  plane.away = false
  const next = await start()
  await passUntil(clock, 'the late reports', () => plane.late.length >= lateReports)
  t.equal(plane.late.length, lateReports)
  await next.pass(1000)
})

t.test('a failed run is repeated as its check says, by the agent alone', async (t) => {
  const { plane, clock, ready } = await setUp(t)
  const broken = await httpServer(t, (_, response) => {
    response.statusCode = 500
    response.end()
  })
  const retries = { type: 'FIXED', baseBackoffSeconds: 5, maxRetries: 2, sameRegion: false }
  plane.orders = [standingOrder('c0', broken.origin, { retries })]
  const agent = await ready()
  plane.away = true
  await agent.pass(90_000)
  plane.away = false
  const ofFirstDueTime = () => {
    const first = Math.min(...plane.late.map(({ dueAt }) => dueAt))
    return plane.late.filter(({ dueAt }) => dueAt === first)
  }
  await passUntil(clock, 'three attempts', () => ofFirstDueTime().length >= 3)
  const attempts = ofFirstDueTime().toSorted((a, b) => a.attempt - b.attempt)
  t.match(attempts, [
    { attempt: 1, retried: true },
    { attempt: 2, retried: true },
    { attempt: 3, retried: false },
  ])
  t.equal(new Set(attempts.map(({ firstStartedAt }) => firstStartedAt)).size, 1)
  for (const { checkId, dueAt, attempt, jobId } of attempts)
    t.equal(jobId, slotIdOf({ checkId, location: ordersLocation, dueAt, attempt }))
})

t.test('late reports wait as long as they are told to, and come at a bounded rate', async (t) => {
  const { plane, ready, clock } = await setUp(t, { orders: 40 })
  const agent = await ready()
  plane.away = true
  await agent.pass(620_000)
  plane.lateRefusals = [{ status: 429, retryAfter: 20 }]
  plane.away = false
  const count = agent.agent.levels().lateReports
  t.ok(count >= 400)
  await passUntil(clock, 'the late reports', () => plane.late.length >= count)
  const [refusedAt = 0, nextAt = 0, ...times] = plane.lateTimes
  t.ok(nextAt - refusedAt >= 20_000, `${nextAt - refusedAt} ms after it was told to wait for 20 s`)
  const seconds = ((times.at(-1) ?? 0) - nextAt) / 1000
  t.ok((count - 100) / seconds <= 150, `${count} in ${seconds} s`)
  t.ok(plane.lateRequests.every(({ reports }) => reports.length <= 100))
})

t.test('a report that is to come later does, and one that is refused does not', async (t) => {
  const { plane, ready, clock } = await setUp(t, { orders: 2 })
  const agent = await ready()
  plane.away = true
  await agent.pass(90_000)
  let later = 0
  plane.judge = ({ checkId }) => {
    if (checkId === 'c1') return 'refused'
    later += 1
    return later === 1 ? 'later' : 'accepted'
  }
  plane.away = false
  await passUntil(clock, 'the late reports', () => later >= 2)
  await passUntil(clock, 'the end', () => agent.agent.levels().lateReports === 0)
  t.match((await agent.probe('/metrics')).text, /late_uploads_total\{outcome="refused"\} [12]/)
})

t.test('a due time that was run alone and is handed out after the return is not run again', async (t) => {
  const { plane, ready, clock, target } = await setUp(t)
  const agent = await ready()
  plane.away = true
  await agent.pass(90_000)
  plane.judge = () => 'later'
  plane.away = false
  await passUntil(clock, 'what was run', () => plane.late.length > 0)
  const [{ jobId: id, dueAt }] = plane.late.toSorted((a, b) => b.dueAt - a.dueAt) as [LateReport]
  const { job } = standingOrder('c0', target.origin)
  const attempt = { fence: 1, checkRunId: dueAt, sequenceId: id, attempt: 1 }
  plane.jobs.push({ ...job, id, ...attempt, dueAt, runAt: dueAt })
  await passUntil(clock, 'the claim', () => plane.jobs.length === 0 && agent.agent.levels().held === 1)
  const { renewals } = plane
  await passUntil(clock, 'a renewal of its lease', () => plane.renewals > renewals)
  t.equal(agent.agent.levels().waiting, 0)
  plane.judge = () => 'accepted'
  await passUntil(clock, 'the end', () => agent.agent.levels().held === 0)
  t.notOk(plane.reports.some(({ jobId }) => jobId === id))
})
