// Runs in a process of its own: time goes by in it as the test says.
import t from 'tap'
import { fakeClock } from '../../support/fake-clock.ts'
import { ordersPlane, passUntil, standingAgent, standingOrder } from '../../support/orders-plane.ts'
import { httpServer } from '../../support/servers.ts'

t.test('of two agents each runs its own slots; when one is gone the other comes after it', async (t) => {
  const clock = fakeClock()
  const plane = await ordersPlane(t, clock)
  const target = await httpServer(t, (_, response) => response.end('ok'))
  plane.orders = [standingOrder('c0', target.origin), standingOrder('c1', target.origin)]
  const first = await standingAgent(t, plane, { clock })
  const second = await standingAgent(t, plane, { clock })
  const ids = () => [...new Set(plane.claims.map(({ agentId }) => agentId))]
  const bothHave = (revision: string) =>
    ids().length === 2 &&
    ids().every((id) => plane.claims.findLast((one) => one.agentId === id)?.orders?.revision === revision)
  await passUntil(clock, 'the orders', () => bothHave('r1'))
  const tell = async (revision: string, secondOwnerAfterMs: number | null): Promise<void> => {
    plane.known = { revision, agents: ids(), holdMs: 86_400_000, secondOwnerAfterMs }
    await passUntil(clock, 'the owners', () => bothHave(revision))
  }
  const absence = async (ms: number): Promise<number[]> => {
    const from = plane.late.length
    plane.away = true
    await first.pass(ms)
    plane.away = false
    await passUntil(
      clock,
      'the late reports',
      () =>
        plane.late.length > from && [first, second].every(({ agent }) => agent.levels().lateReports === 0),
    )
    return plane.late.slice(from).map(({ dueAt }) => dueAt)
  }
  const each = new Map<string, number>()

  await tell('r2', null)
  const alone = await absence(900_000)
  for (const { jobId } of plane.late) each.set(jobId, (each.get(jobId) ?? 0) + 1)
  t.ok(alone.length >= 28, `${alone.length} runs of two checks in a quarter of an hour`)
  t.ok(
    [...each.values()].every((count) => count === 1),
    'each due time once',
  )
  const runners = plane.lateRequests.map(({ agentId }) => agentId)
  t.equal(new Set(runners).size, 2, 'by both')

  await tell('r3', 15_000)
  plane.away = true
  const stopped = first.stop()
  await passUntil(clock, 'the stop', () => first.lines.some((line) => line.startsWith('drained')))
  await stopped
  const before = plane.late.length
  const awayAt = clock.now() + plane.aheadMs
  await second.pass(600_000)
  const backAt = clock.now() + plane.aheadMs
  plane.away = false
  await passUntil(
    clock,
    'the late reports',
    () => plane.late.length > before && second.agent.levels().lateReports === 0,
  )
  const late = plane.late.slice(before)
  const slots = new Set(late.map(({ checkId, dueAt }) => `${checkId} ${dueAt}`))
  for (let dueAt = Math.ceil(awayAt / 60_000) * 60_000; dueAt <= backAt - 20_000; dueAt += 60_000)
    for (const checkId of ['c0', 'c1']) t.ok(slots.has(`${checkId} ${dueAt}`), `${checkId} ${dueAt}`)
  const waits = late.map(({ startedAt, dueAt }) => startedAt - dueAt)
  t.ok(
    waits.some((wait) => wait >= 15_000) && waits.some((wait) => wait < 5000),
    'some at once, some after their owner',
  )
})
