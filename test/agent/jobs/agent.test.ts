import { readdirSync, writeFileSync } from 'node:fs'
import type net from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { isolationLayers } from '../../../agent/isolation/missing-isolation.ts'
import { realClock } from '../../../agent/program/real-io.ts'
import { findRuntimes, offeredRuntimes, ownRuntimes } from '../../../agent/sandbox/runtimes.ts'
import { ClaimRequest, ReportRequest } from '../../../protocol/agent-api.ts'
import { suiteEngines } from '../../../protocol/checks/playwright-spec.ts'
import { sleepWith, type TimerClock } from '../../../protocol/clock.ts'
import { compile } from '../../../protocol/validate.ts'
import { fakeControlPlane, urlJob, urlSpec } from '../../support/fake-control-plane.ts'
import { httpServer, tcpServer } from '../../support/servers.ts'
import { temporaryFolder, testAgent, testApiKey } from '../../support/test-agent.ts'
import { until } from '../../support/until.ts'

/** A server clock that is far from the machine's: everything below happens on the control plane's time. */
const serverTime = (): number => Date.now() + 3_600_000

const setUp = async (t: Test, leaseMs = 15_000) => {
  const plane = await fakeControlPlane(t, { serverTime, apiKey: testApiKey, leaseMs })
  const target = await httpServer(t, (_, response) => response.end('ok'))
  return { plane, target }
}

/** A target that answers when it is told to. */
const patientTarget = async (t: Test) => {
  const waiting: net.Socket[] = []
  let arrived = (): void => undefined
  const server = await tcpServer(t, (socket) => {
    waiting.push(socket)
    arrived()
  })
  return {
    origin: server.origin,
    waiting: (count: number) =>
      new Promise<void>((resolve) => {
        arrived = () => waiting.length >= count && resolve()
        arrived()
      }),
    answer: () => {
      for (const socket of waiting.splice(0)) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    },
  }
}

t.test("a job is run and reported, in the protocol's words", async (t) => {
  const { plane, target } = await setUp(t)
  const agent = await testAgent(t, plane.origin)
  plane.offer(urlJob(target.origin, { id: 'one', fence: 7 }))
  await plane.until(() => plane.reports.length === 1)
  t.match(plane.reports, [
    { jobId: 'one', fence: 7, outcome: { kind: 'observed', observation: { failure: null } } },
  ])
  t.ok(compile(ReportRequest)({ agentId: 'a', reports: plane.reports }).ok)
  for (const claim of plane.claims) t.ok(compile(ClaimRequest)(claim).ok)
  t.equal(plane.claims[0]?.waitMs, 0, 'the first poll does not wait')
  t.match(plane.claims[0], {
    checkTypes: ['URL'],
    ...offeredRuntimes(findRuntimes(ownRuntimes)),
    suiteEngines: suiteEngines.filter((engine) =>
      engine.startsWith(`node@${process.versions.node.split('.')[0]}`),
    ),
    maxUptime: 300,
    maxMain: 1,
  })
  const { text } = await agent.probe('/metrics')
  t.match(text, /watchpost_agent_results_total\{outcome="passed"\} 1/)
  t.notMatch(text, new RegExp(`${testApiKey}|127\\.0\\.0\\.1`))
})

t.test("jobs start at their time on the control plane's clock, never earlier", async (t) => {
  const { plane, target } = await setUp(t)
  await testAgent(t, plane.origin)
  const now = serverTime()
  const due = Array.from({ length: 20 }, (_, index) => now + 150 + index * 10)
  plane.offer(...due.map((runAt, index) => urlJob(target.origin, { id: `due-${index}`, runAt })).reverse())
  await plane.until(() => plane.reports.length === due.length)
  for (const { jobId, startedAt, stoppedAt } of plane.reports) {
    const runAt = due[Number(jobId.slice(4))] ?? 0
    t.ok(startedAt >= runAt, 'not before its time')
    t.ok(
      startedAt - runAt < 60_000,
      `near its time (${startedAt - runAt} ms after it), far from the machine's`,
    )
    t.ok(stoppedAt >= startedAt)
  }
})

t.test('what the agent cannot run is answered as such', async (t) => {
  const { plane, target } = await setUp(t)
  const agent = await testAgent(t, plane.origin)
  plane.offer(
    urlJob(target.origin, { id: 'browser', checkType: 'BROWSER' }),
    urlJob(target.origin, { id: 'spec', spec: { request: {} } }),
    { id: 'shape', fence: 3 } as never,
    { nonsense: true } as never,
    urlJob(target.origin, { id: 'fine' }),
  )
  await plane.until(() => plane.reports.length === 4)
  const kinds = Object.fromEntries(plane.reports.map(({ jobId, outcome }) => [jobId, outcome.kind]))
  t.same(kinds, { browser: 'could-not-run', spec: 'could-not-run', shape: 'could-not-run', fine: 'observed' })
  await agent.stop()
  t.equal(agent.agent.levels().held, 0, 'nothing is held afterwards')
})

t.test('targets that never answer do not keep others from starting', async (t) => {
  const { plane, target } = await setUp(t)
  const black = await patientTarget(t)
  const agent = await testAgent(t, plane.origin, { UPTIME_CONCURRENCY: '3', DRAIN_TIMEOUT_SECONDS: '0' })
  plane.offer(
    ...Array.from({ length: 6 }, () => urlJob(black.origin)),
    urlJob(target.origin, { id: 'healthy' }),
  )
  await plane.until(() => plane.reports.some(({ jobId }) => jobId === 'healthy'))
  t.ok(agent.agent.levels().slow >= 4, 'at least as many as had to make room')
})

t.test('leases are renewed while a job runs, and a lost one stops it', async (t) => {
  // Long enough that a busy machine renews it in time.
  const { plane } = await setUp(t, 1500)
  const black = await patientTarget(t)
  const agent = await testAgent(t, plane.origin)
  plane.offer(urlJob(black.origin, { id: 'kept', fence: 2 }), urlJob(black.origin, { id: 'gone' }))
  await black.waiting(2)
  await plane.until(() => plane.renewals.length >= 1)
  t.match(plane.renewals[0]?.leases, [
    { jobId: 'kept', fence: 2 },
    { jobId: 'gone', fence: 1 },
  ])
  plane.lost.add('gone')
  await plane.until(() => plane.lost.size === 0)
  await plane.until(() => agent.agent.levels().held === 1)
  const renewals = plane.renewals.length
  await plane.until(() => plane.renewals.length > renewals + 1)
  t.match(plane.renewals.at(-1)?.leases, [{ jobId: 'kept' }])
  black.answer()
  await plane.until(() => plane.reports.length > 0)
  t.same(
    plane.reports.map(({ jobId }) => jobId),
    ['kept'],
  )
})

t.test('a drain finishes what runs, hands back what does not, and says so to the probes', async (t) => {
  const { plane } = await setUp(t)
  const slow = await patientTarget(t)
  const agent = await testAgent(t, plane.origin)
  plane.offer(
    urlJob(slow.origin, { id: 'running' }),
    urlJob(slow.origin, { id: 'later', runAt: serverTime() + 60_000 }),
  )
  await slow.waiting(1)
  t.equal((await agent.probe('/-/readiness')).status, 200)
  const stopped = agent.stop()
  await plane.until(() => plane.releases.length === 1)
  t.same(plane.releases[0]?.leases, [{ jobId: 'later', fence: 1 }])
  t.same(plane.releases[0]?.kept, [{ jobId: 'running', fence: 1 }], 'whatever else is its own is handed back')
  t.equal((await agent.probe('/-/readiness')).status, 503)
  t.equal((await agent.probe('/-/liveness')).status, 200)
  t.equal((await agent.probe('/health')).status, 200)
  const claims = plane.claims.length
  slow.answer()
  await stopped
  t.same(
    plane.reports.map(({ jobId }) => jobId),
    ['running'],
  )
  t.equal(plane.claims.length, claims, 'nothing is claimed while draining')
})

t.test('a drain hands back what still runs when its time is over', async (t) => {
  const { plane } = await setUp(t)
  const black = await patientTarget(t)
  const agent = await testAgent(t, plane.origin, { DRAIN_TIMEOUT_SECONDS: '0' })
  plane.offer(urlJob(black.origin, { id: 'stuck' }))
  await black.waiting(1)
  await agent.stop()
  const stuck = [{ jobId: 'stuck', fence: 1 }]
  t.match(plane.releases, [
    { leases: [], kept: stuck },
    { leases: stuck, kept: [] },
  ])
  t.same(plane.reports, [])
})

t.test('a wrong key is said once, with the name of its variable, and the agent is not ready', async (t) => {
  const { plane } = await setUp(t)
  plane.refuse = 401
  const agent = await testAgent(t, plane.origin)
  let requests = 0
  await plane.until(() => {
    requests += 1
    return requests > 3
  })
  t.equal((await agent.probe('/-/readiness')).status, 503)
  t.equal((await agent.probe('/-/liveness')).status, 200)
  t.equal(agent.lines.filter((line) => line.includes('API_KEY')).length, 1)
  plane.refuse = null
  await plane.until(() => plane.claims.length > 1)
  t.equal((await agent.probe('/-/readiness')).status, 200, 'it kept trying')
  t.ok(agent.lines.some((line) => line.startsWith('connected')))
})

t.test('results outlive the absence of the control plane and the death of the agent', async (t) => {
  const { plane, target } = await setUp(t)
  const spool = temporaryFolder(t)
  const first = await testAgent(t, plane.origin, { SPOOL_DIR: spool })
  plane.judge = () => {
    plane.refuse = 503
    return null
  }
  plane.offer(urlJob(target.origin, { id: 'kept' }))
  await plane.until(() => plane.refuse === 503)
  t.equal(readdirSync(spool).filter((name) => name.endsWith('.jsonl')).length, 1)
  plane.judge = () => 'accepted'
  // The second agent finds what the first has not uploaded, as after a kill; a torn line is left out.
  const [name = ''] = readdirSync(spool).filter((name) => name.endsWith('.jsonl'))
  writeFileSync(join(spool, name), '{"jobId":"torn","fen', { flag: 'a' })
  plane.refuse = null
  const second = await testAgent(t, plane.origin, { SPOOL_DIR: spool })
  await plane.until(() => plane.reports.length > 0)
  await plane.until(() => readdirSync(spool).filter((name) => name.endsWith('.jsonl')).length === 0)
  t.ok(plane.reports.every(({ jobId }) => jobId === 'kept'))
  t.ok(second.lines.some((line) => line.includes('damaged')))
  await first.stop()
})

t.test('after an absence of the control plane, reports do not wait for longer than claims', async (t) => {
  const { plane } = await setUp(t)
  const target = await patientTarget(t)
  // The report's wait for its next try never ends by itself.
  let waits = 0
  const clock = realClock()
  const at: TimerClock['at'] = (delayMs, act) => {
    if (plane.refuse === null || delayMs < 250 || delayMs > 500) return clock.at(delayMs, act)
    waits += 1
    return waits === 1 ? () => undefined : clock.at(delayMs, act)
  }
  await testAgent(t, plane.origin, {}, { clock: { ...clock, at, sleep: sleepWith(at) } })
  plane.offer(urlJob(target.origin, { id: 'one', fence: 3 }))
  await target.waiting(1)
  // The next poll waits for a job that is not there.
  await plane.until(() => (plane.claims.at(-1)?.waitMs ?? 0) > 0)
  plane.judge = () => {
    plane.refuse = 503
    return null
  }
  target.answer()
  await plane.until(() => waits === 1)
  plane.judge = () => 'accepted'
  plane.offer(urlJob(target.origin, { id: 'two', runAt: serverTime() + 600_000 }))
  await plane.until(() => waits > 1)
  const failed = plane.claims.length
  plane.refuse = null
  await plane.until(() => plane.reports.length === 1)
  t.match(plane.reports, [{ jobId: 'one' }])
  const [claim] = plane.claims.slice(failed)
  t.same(claim?.finished, [{ jobId: 'one', fence: 3 }], 'and the first claim says which run is over')
  t.notOk(plane.claims[0]?.finished?.length)
})

t.test('a result that can never be accepted does not hold up the others', async (t) => {
  const { plane, target } = await setUp(t)
  const agent = await testAgent(t, plane.origin)
  plane.judge = ({ jobId }) => (jobId === 'poison' ? null : 'accepted')
  plane.offer(...['a', 'b', 'poison', 'c', 'd'].map((id) => urlJob(target.origin, { id })))
  await plane.until(() => plane.reports.length === 4)
  t.same(plane.reports.map(({ jobId }) => jobId).sort(), ['a', 'b', 'c', 'd'])
  await agent.stop()
  t.ok(agent.lines.some((line) => line.includes('never accept')))
})

t.test('an assertion that fails counts as a failed result in the metrics', async (t) => {
  const { plane, target } = await setUp(t)
  const agent = await testAgent(t, plane.origin)
  const assertions = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '201' }]
  plane.offer(urlJob(target.origin, { spec: urlSpec(target.origin, { assertions }) }))
  await plane.until(() => plane.reports.length === 1)
  t.match((await agent.probe('/metrics')).text, /results_total\{outcome="failed"\} 1/)
})

t.test(
  'an agent says which layers isolate code of users: in its log, its metrics and its claims',
  async (t) => {
    const { plane, target } = await setUp(t)
    const agent = await testAgent(t, plane.origin, {}, { isolated: true })
    const line = () => agent.lines.find((one) => one.startsWith('isolation of user code: '))
    await until('the line', () => line() !== undefined)
    // The poll that waits was sent before they were known.
    plane.offer(urlJob(target.origin))
    await plane.until(() => plane.claims.some(({ isolation }) => isolation !== undefined))
    const { isolation = [] } = plane.claims.at(-1) ?? {}
    t.match(line(), isolation.length === 0 ? 'none' : isolation.join(', '))
    const { text } = await agent.probe('/metrics')
    for (const layer of isolationLayers)
      t.match(text, `watchpost_agent_isolation{layer="${layer}"} ${isolation.includes(layer) ? 1 : 0}`)
  },
)

t.test('an agent that shall isolate and cannot says so at its start', async (t) => {
  const { plane } = await setUp(t)
  const agent = await testAgent(t, plane.origin, { SCRIPT_ISOLATION: 'required' })
  await until('the line', () =>
    agent.lines.some((line) => line.startsWith('no code of users will run here: ')),
  )
  await plane.until(() => plane.claims.length > 0)
  t.strictSame(plane.claims.at(-1)?.isolation ?? [], [])
})
