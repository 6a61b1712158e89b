import net from 'node:net'
import t, { type Test } from 'tap'
import { createOwnNetwork } from '../../../agent/jobs/own-network.ts'
import type { RunResult } from '../../../agent/jobs/run-job.ts'
import type { Job } from '../../../protocol/job.ts'
import type { Failure } from '../../../protocol/result.ts'
import { agentIo } from '../../support/agent-io.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { urlJob } from '../../support/fake-control-plane.ts'
import { address, nameServer } from '../../support/name-server.ts'
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
const setUp = async (t: Test, nameServers: string[] = []) => {
  const server = await tcpServer(t, (socket) => socket.destroy())
  const world = {
    routes: head + linked + byDefault,
    isControlPlaneThere: true,
    isOnThisMachine: false,
    connections: 0,
    judged: 0,
  }
  const clock = fakeClock()
  const connect = (to: net.TcpNetConnectOpts): net.Socket => {
    world.connections += 1
    if (!world.isControlPlaneThere) return new net.Socket()
    return net.connect(world.isOnThisMachine ? to : { ...to, localAddress: '127.0.0.2' })
  }
  const io = {
    ...agentIo({ clock }),
    connect,
    nameServers: () => nameServers,
    readRoutes: () => ({ four: world.routes, six: '', isUnplugged: () => false }),
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

t.test('a silent control plane: one other host decides, and the question is shared', async (t) => {
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

/** A name server of a closed network, which knows no root: `mode` says what it does with everything else. */
const closedNetwork = async (
  t: Test,
  mode = { says: 'zones' as 'zones' | 'SERVFAIL' | 'REFUSED' | 'nothing' },
) => {
  const { port } = await nameServer(t, (asked) => {
    const [question] = asked.packet.questions ?? []
    const name = question?.name ?? ''
    const isKnown = mode.says === 'zones' && /^h\d\.zone$/.test(name)
    if (mode.says === 'nothing') return
    if (isKnown) asked.send(asked.answer([address(name, '198.51.100.1')]))
    else asked.send(asked.answer([], { rcode: mode.says === 'REFUSED' ? 5 : 2 }))
  })
  return { mode, servers: [`127.0.0.1:${port}`] }
}

const jobOf = (host: string): Job => urlJob(`http://${host}/`)

t.test('a broken zone is a failure, in networks whose name servers know no root', async (t) => {
  const { servers } = await closedNetwork(t)
  for (const isOnThisMachine of [true, false]) {
    const { world, clock, run } = await setUp(t, servers)
    world.isOnThisMachine = isOnThisMachine
    for (const round of [1, 2, 3, 4]) {
      for (const host of [1, 2, 3, 4, 5]) await run(ended(null), jobOf(`h${host}.zone`))
      clock.advance(10_000)
      for (const code of ['EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT'])
        t.equal(
          (await run(ended(code), jobOf('broken.zone'))).outcome.kind,
          'observed',
          `${code}, round ${round}`,
        )
    }
    t.equal(world.judged, 0)
  }
})

t.test(
  'a name server that says SERVFAIL or REFUSED to everything is there, also for one check alone',
  async (t) => {
    for (const says of ['SERVFAIL', 'REFUSED'] as const) {
      const { servers } = await closedNetwork(t, { says })
      for (const [isOnThisMachine, isControlPlaneThere] of [
        [true, true],
        [false, true],
        [false, false],
      ] as const) {
        const { world, clock, run } = await setUp(t, servers)
        Object.assign(world, { isOnThisMachine, isControlPlaneThere })
        t.equal((await run(ended('EAI_AGAIN'), jobOf('broken.zone'))).outcome.kind, 'observed', says)
        const silent = run(ended('TIMEOUT'))
        if (!isControlPlaneThere) await until('the control plane is asked', () => clock.timers() > 1, 1)
        clock.advance(1500)
        t.equal((await silent).outcome.kind, 'observed', says)
      }
    }
  },
)

t.test('four hosts that fall silent at once are a rack, and no network of the agent', async (t) => {
  const { servers } = await closedNetwork(t)
  for (const [nameServers, isOnThisMachine] of [
    [servers, true],
    [servers, false],
    [[], true],
  ] as const) {
    const { world, clock, run } = await setUp(t, [...nameServers])
    world.isOnThisMachine = isOnThisMachine
    for (const host of [1, 2, 3, 4, 5]) await run(ended(null), jobOf(`198.51.100.${host}`))
    clock.advance(20_000)
    for (let round = 0; round < 2; round += 1) {
      const rack = [1, 2, 3, 4].map((host) => run(ended('TIMEOUT'), jobOf(`198.51.100.${host}`)))
      for (const { outcome } of await Promise.all(rack)) t.equal(outcome.kind, 'observed')
      clock.advance(10_000)
    }
    t.equal(world.judged, 0)
  }
})

t.test('where nothing at all answers it is the network of the agent', async (t) => {
  const { mode, servers } = await closedNetwork(t)
  const { world, clock, run } = await setUp(t, servers)
  world.isControlPlaneThere = false
  for (const host of [1, 2, 3]) await run(ended(null), jobOf(`h${host}.zone`))
  await run(ended('EAI_AGAIN'), jobOf('broken.zone'))
  mode.says = 'nothing'
  clock.advance(5000)
  const all = [ended('TIMEOUT'), ended('EAI_AGAIN')].map((result, index) =>
    run(result, jobOf(`h${index}.zone`)),
  )
  await until('both are asked', () => clock.timers() > 4, 1)
  clock.advance(1500)
  await until('the rest is asked', () => clock.timers() > 0, 1)
  clock.advance(1000)
  for (const { outcome } of await Promise.all(all))
    t.match(outcome, { kind: 'could-not-run', reason: /no name server answered/ })
  t.equal(world.judged, 2)
})

t.test('an office that has lost its line: its forwarder answers, and no longer knows the root', async (t) => {
  let hasLine = true
  const { port } = await nameServer(t, (asked) => asked.send(asked.answer([], { rcode: hasLine ? 0 : 2 })))
  const { world, clock, run } = await setUp(t, [`127.0.0.1:${port}`])
  world.isOnThisMachine = true
  t.equal((await run(ended('EAI_AGAIN'), jobOf('one.test'))).outcome.kind, 'observed')
  hasLine = false
  clock.advance(5000)
  t.match((await run(ended('EAI_AGAIN'), jobOf('one.test'))).outcome, {
    kind: 'could-not-run',
    reason: /no longer knew those of the root/,
  })
  world.isOnThisMachine = false
  clock.advance(5000)
  t.equal(
    (await run(ended('EAI_AGAIN'), jobOf('one.test'))).outcome.kind,
    'observed',
    'the control plane is reached',
  )
})

t.test(
  'a name server that has no word on the root is there by the names that runs have reached',
  async (t) => {
    const { port } = await nameServer(t, (asked) => {
      const name = asked.packet.questions?.[0]?.name ?? ''
      if (name === 'h1.zone') asked.send(asked.answer([address(name, '198.51.100.1')]))
    })
    const { world, clock, run } = await setUp(t, [`127.0.0.1:${port}`])
    world.isOnThisMachine = true
    await run(ended(null), jobOf('h1.zone'))
    for (const result of [ended('EAI_AGAIN'), ended('TIMEOUT')]) {
      clock.advance(70_000)
      t.equal(clock.timers(), 0)
      const told = run(result, jobOf('broken.zone'))
      // Its routes are watched, and two of three questions have no answer.
      await until('the name that is known is answered', () => clock.timers() === 3, 1)
      clock.advance(1000)
      t.equal((await told).outcome.kind, 'observed')
    }
    t.equal(world.judged, 0)
  },
)
