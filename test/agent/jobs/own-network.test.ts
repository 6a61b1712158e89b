import net from 'node:net'
import t, { type Test } from 'tap'
import { createOwnNetwork } from '../../../agent/jobs/own-network.ts'
import type { RunResult } from '../../../agent/jobs/run-job.ts'
import type { Job } from '../../../protocol/job.ts'
import type { Failure } from '../../../protocol/result.ts'
import { agentIo } from '../../support/agent-io.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { urlJob } from '../../support/fake-control-plane.ts'
import { tcpServer } from '../../support/servers.ts'
import { until } from '../../support/until.ts'

const head = 'Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n'
const linked = 'eth0 000200C0 00000000 0001 0 0 0 00FFFFFF 0 0 0\n'
const byDefault = 'eth0 00000000 010200C0 0003 0 0 0 00000000 0 0 0\n'

const ended = (code: string | null, network = true): RunResult => {
  const failure: Failure | null = code === null ? null : { code, message: `it was ${code}`, network }
  const observation = { responseTime: 1, failure, assertions: [], degraded: false, metrics: {}, detail: null }
  return { outcome: { kind: 'observed', observation }, error: null, log: [], artifacts: [] }
}

/** An agent whose control plane answers from another address than its own, as machines elsewhere do; or not at all. */
const setUp = async (t: Test) => {
  const server = await tcpServer(t, (socket) => socket.destroy())
  const world = { routes: head + linked + byDefault, isControlPlaneThere: true, connections: 0, judged: 0 }
  const clock = fakeClock()
  const connect = (to: net.TcpNetConnectOpts): net.Socket => {
    world.connections += 1
    return world.isControlPlaneThere ? net.connect({ ...to, localAddress: '127.0.0.2' }) : new net.Socket()
  }
  const io = {
    ...agentIo({ clock }),
    connect,
    nameServers: () => [],
    readRoutes: () => ({ four: world.routes, six: '' }),
  }
  const ownNetwork = createOwnNetwork({
    io,
    controlPlane: { host: '127.0.0.1', port: Number(new URL(server.origin).port) },
    onJudged: () => {
      world.judged += 1
    },
  })
  const run = (result: RunResult, job: Job = urlJob('http://198.51.100.1/')) => ownNetwork.begin(job)(result)
  return { world, clock, ownNetwork, run }
}

t.test('a target that is silent alone, while the control plane answers, is told as it was', async (t) => {
  const { world, run } = await setUp(t)
  const result = ended('TIMEOUT')
  t.equal(await run(result), result)
  t.same([world.connections, world.judged], [1, 0])
})

t.test('what somebody answered, and what is on this machine, passes at once', async (t) => {
  const { world, run } = await setUp(t)
  world.routes = head
  world.isControlPlaneThere = false
  for (const result of [
    ended(null),
    ended('HTTP_STATUS', false),
    ended('ECONNREFUSED'),
    ended('ECONNRESET'),
    ended('CERT_HAS_EXPIRED'),
    ended('ENOTFOUND'),
    ended('BLOCKED_BY_POLICY', false),
    { ...ended(null), outcome: { kind: 'cancelled' } } satisfies RunResult,
  ])
    t.equal(await run(result), result)
  for (const host of ['127.0.0.1', '127.8.0.1', '[::1]', 'localhost', 'api.localhost']) {
    const result = ended('TIMEOUT')
    t.equal(await run(result, urlJob(`http://${host}:81/`)), result, host)
  }
  const viaProxy = ended('PROXY_TIMEOUT')
  t.equal(
    await run(viaProxy, urlJob('http://198.51.100.1/', { proxyUrl: 'http://127.0.0.1:3128' })),
    viaProxy,
  )
  t.same([world.connections, world.judged], [0, 0])
})

t.test('without a route, nothing is said of targets elsewhere', async (t) => {
  const { world, run } = await setUp(t)
  world.routes = head
  const { outcome } = await run(ended('EAI_AGAIN'))
  t.match(outcome, { kind: 'could-not-run', reason: /no route to anywhere.*What was seen: it was EAI_AGAIN/ })
  t.same([world.connections, world.judged], [0, 1])
})

t.test('a way out that was away for a moment of the run is remembered', async (t) => {
  const { world, clock, ownNetwork, run } = await setUp(t)
  const settle = ownNetwork.begin(urlJob('http://198.51.100.1/'))
  world.routes = head + linked
  clock.advance(1000)
  world.routes = head + linked + byDefault
  clock.advance(3000)
  t.match((await settle(ended('TIMEOUT'))).outcome, {
    kind: 'could-not-run',
    reason: /default route was gone/,
  })
  clock.advance(10_000)
  t.equal(clock.timers(), 0, 'nobody watches while nothing runs')
  t.equal((await run(ended('TIMEOUT'))).outcome.kind, 'observed', 'the next run began later')
})

t.test('a network that never had a default route lacks none', async (t) => {
  const { world, run } = await setUp(t)
  world.routes = head + linked
  t.equal((await run(ended('ENETUNREACH'))).outcome.kind, 'observed')
})

t.test('a silent control plane: most others decide, and the question is shared', async (t) => {
  const { world, clock, ownNetwork, run } = await setUp(t)
  await run(ended(null), urlJob('http://198.51.100.9/'))
  ownNetwork.heard()
  clock.advance(5000)
  world.isControlPlaneThere = false
  const failing = Array.from({ length: 50 }, (_, host) =>
    run(ended('TIMEOUT'), urlJob(`http://198.51.100.${host}/`)),
  )
  await until('it is asked', () => clock.timers() > 1, 1)
  clock.advance(1500)
  for (const { outcome } of await Promise.all(failing))
    t.match(outcome, {
      kind: 'could-not-run',
      reason:
        /control plane could not be reached, its last answer came 7 s before; 49 other hosts fell silent/,
    })
  t.same([world.connections, world.judged], [1, 50])

  clock.advance(5000)
  const settle = ownNetwork.begin(urlJob('http://198.51.100.1/'))
  await run(ended(null), urlJob('http://198.51.100.2/'))
  const alone = settle(ended('TIMEOUT'))
  clock.advance(1500)
  t.equal((await alone).outcome.kind, 'observed', 'the network is there for somebody else')
})
