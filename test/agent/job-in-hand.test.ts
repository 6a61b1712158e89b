/** A job that this agent has begun is never begun again by it, whatever became of its lease meanwhile. */
import type http from 'node:http'
import t, { type Test } from 'tap'
import { fakeControlPlane, urlJob } from '../support/fake-control-plane.ts'
import { httpServer } from '../support/servers.ts'
import { testAgent, testApiKey } from '../support/test-agent.ts'

const setUp = async (t: Test, leaseMs = 15_000) => {
  const plane = await fakeControlPlane(t, { serverTime: Date.now, apiKey: testApiKey, leaseMs })
  const waiting: http.ServerResponse[] = []
  const state = { requests: 0, onRequest: (): void => undefined }
  const target = await httpServer(t, (_, response) => {
    state.requests += 1
    waiting.push(response)
    state.onRequest()
  })
  const answer = (): void => {
    for (const response of waiting.splice(0)) response.end('ok')
  }
  const job = (fence: number) => urlJob(target.origin, { id: 'one', fence })
  return { plane, target, state, answer, job, agent: await testAgent(t, plane.origin) }
}

/** What a control plane says of reports when the job has that fence by then. */
const fenced =
  (fence: () => number) =>
  (report: { fence: number }): 'accepted' | 'stale' =>
    report.fence === fence() ? 'accepted' : 'stale'

t.test('a run that is under way takes over the new lease of its job', async (t) => {
  const { plane, state, answer, job, agent } = await setUp(t)
  plane.judge = fenced(() => 2)
  plane.offer(job(1))
  await plane.until(() => state.requests === 1)
  plane.offer(job(2))
  await plane.until(() => agent.lines.some((line) => line.includes('goes on with a new one')))
  answer()
  await plane.until(() => plane.reports.length > 0)
  t.match(plane.reports, [{ jobId: 'one', fence: 2, outcome: { kind: 'observed' } }])
  await plane.until(() => agent.agent.levels().held === 0)
  t.equal(state.requests, 1)
})

t.test(
  'a report that crosses the new lease of its job is sent again with that, the request is not',
  async (t) => {
    for (const order of ['the lease first', 'the answer first']) {
      const { plane, state, answer, job, agent } = await setUp(t)
      plane.judge = fenced(() => 2)
      plane.offer(job(1))
      await plane.until(() => state.requests === 1)
      const before = plane.reports.length
      if (order === 'the lease first') {
        // The report is held back until the claim has been answered.
        plane.refuse = 503
        answer()
        await plane.until(() => agent.agent.levels().running === 0)
        plane.refuse = null
        plane.offer(job(2))
        await plane.until(() => plane.reports.some(({ fence }) => fence === 2))
      } else {
        answer()
        await plane.until(() => plane.reports.length > before)
        await plane.until(() => agent.agent.levels().held === 0)
        plane.offer(job(2))
        await plane.until(() => plane.reports.some(({ fence }) => fence === 2))
      }
      t.match(plane.reports.at(-1), { jobId: 'one', fence: 2, outcome: { kind: 'observed' } }, order)
      await plane.until(() => agent.agent.levels().held === 0)
      t.equal(state.requests, 1, order)
      await agent.stop()
    }
  },
)

t.test('a lease that ran out because the agent stood costs no run that is under way', async (t) => {
  const leaseMs = 2000
  const { plane, state, answer, job, agent } = await setUp(t, leaseMs)
  state.onRequest = () => {
    plane.lost.add('one')
    const end = performance.now() + leaseMs + 100
    while (performance.now() < end);
  }
  plane.offer(job(1))
  await plane.until(() => state.requests === 1 && plane.lost.size === 0)
  const renewals = plane.renewals.length
  answer()
  await plane.until(() => plane.reports.length > 0)
  t.match(plane.reports, [{ jobId: 'one', fence: 1, outcome: { kind: 'observed' } }])
  t.equal(plane.renewals.length, renewals, 'a lease that is lost is not renewed')
  await plane.until(() => agent.agent.levels().held === 0)
  t.equal(state.requests, 1)
})
