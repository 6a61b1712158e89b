// Runs in test:all only: it waits for packets in networks of its own.
import t, { type Test } from 'tap'
import { notPermitted } from '../../../agent/net/ping/ping-socket.ts'
import { IcmpSpec } from '../../../protocol/checks/icmp.ts'
import { IcmpCheckResult } from '../../../protocol/checks/icmp-result.ts'
import { Observation } from '../../../protocol/result.ts'
import { compile } from '../../../protocol/validate.ts'
import {
  type Answer,
  type LabRan,
  type LabRun,
  labProblem,
  type Permission,
  runInLab,
} from '../../support/ping-lab.ts'

const validSpec = compile(IcmpSpec)
const validObservation = compile(Observation)
const validDetail = compile(IcmpCheckResult)

type Change = Partial<IcmpSpec['request']> & Partial<Omit<IcmpSpec, 'request'>>

const specOf = ({
  degradedPacketLossThreshold = 10,
  maxPacketLossThreshold = 20,
  shouldFail = false,
  ...request
}: Change = {}): IcmpSpec => ({
  request: { hostname: '127.0.0.1', ipFamily: 'IPv4', pingCount: 2, assertions: [], ...request },
  degradedPacketLossThreshold,
  maxPacketLossThreshold,
  shouldFail,
})

type Case = Omit<LabRun, 'spec'> & { change?: Change }

/** Runs the checks in a namespace of their own; holds each observation to the wire's schemas. */
const observe = (t: Test, permission: Permission, cases: Case[], prepare: string[] = []) => {
  const runs = cases.map(({ change, ...more }) => ({ fast: true, ...more, spec: specOf(change) }))
  for (const { spec } of runs) t.match(validSpec(spec), { ok: true })
  return runInLab(permission, runs, prepare).ran.map((ran) => {
    t.equal(ran.leakedDescriptors, 0, 'no socket stays open')
    return ran
  })
}

const seen = (t: Test, { outcome }: LabRan) => {
  if (outcome.kind !== 'observed') throw new Error(`${outcome.kind}: ${JSON.stringify(outcome)}`)
  const { observation } = outcome
  t.match(validObservation(observation), { ok: true })
  const detail = observation.detail as IcmpCheckResult
  t.match(validDetail(detail), { ok: true })
  return { ...observation, detail, response: detail.response }
}

const problem = labProblem()
const skip = problem === null ? false : problem
const replies = (count: number) => Array.from({ length: count }, () => ['reply' as const])

for (const permission of ['ping-group-range', 'net-raw'] as const)
  t.test(`with ${permission} alone`, { skip }, async (t) => {
    await t.test('pings are measured in fractions of a millisecond, over IPv4 and IPv6', async (t) => {
      const ran = observe(t, permission, [
        { change: { pingCount: 5 } },
        { change: { hostname: '::1', ipFamily: 'IPv6' } },
      ])
      const [four, six] = ran.map((each) => seen(t, each))
      t.equal(four?.failure, null)
      t.match(four?.response, {
        hostname: '127.0.0.1',
        resolvedIp: '127.0.0.1',
        ipFamily: 'IPv4',
        pingCount: 5,
        packetsSent: 5,
        packetsReceived: 5,
        packetSize: 64,
        packetLoss: 0,
        duplicates: 0,
        lateReplies: 0,
      })
      t.same(
        four?.response?.pingResults.map(({ sequence, type, code, success, ttl }) => [
          sequence,
          type,
          code,
          success,
          ttl,
        ]),
        [0, 1, 2, 3, 4].map((sequence) => [sequence, 0, 0, true, 64]),
      )
      const rtts = four?.response?.pingResults.map(({ rtt }) => Number(rtt)) ?? []
      t.ok(
        rtts.every((rtt) => rtt > 0) && Math.min(...rtts) < 1 && rtts.some((rtt) => !Number.isInteger(rtt)),
        `${rtts} ms`,
      )
      const { avg, min, max, stdDev } = four?.response?.latency ?? {}
      t.equal(min, Math.min(...rtts))
      t.equal(max, Math.max(...rtts))
      t.equal(four?.responseTime, avg)
      t.match(four?.metrics, {
        packetLoss: 0,
        dns: 0,
        latencyAvg: avg,
        latencyMin: min,
        latencyMax: max,
        latencyStdDev: stdDev,
      })
      t.match(six?.response, {
        resolvedIp: '::1',
        ipFamily: 'IPv6',
        packetsReceived: 2,
        pingResults: [{ type: 129, ttl: 64 }, {}],
      })
    })

    await t.test(
      'a kernel without time stamps is no hindrance, and the result says who measured',
      async (t) => {
        const ran = observe(t, permission, [
          { change: { pingCount: 1 } },
          { change: { pingCount: 3 }, withoutStamps: true },
          { change: { hostname: '::1', ipFamily: 'IPv6' } },
        ])
        const [before, four, six] = ran.map((each) => seen(t, each))
        t.match(before?.response, { timing: 'KERNEL', packetsReceived: 1 })
        t.match(four?.response, { timing: 'AGENT', packetsReceived: 3, packetLoss: 0 })
        t.match(six?.response, { timing: 'AGENT', packetsReceived: 2, resolvedIp: '::1' })
        for (const { rtt } of four?.response?.pingResults ?? []) t.ok(Number(rtt) > 0, `${rtt} ms`)
      },
    )

    await t.test(
      'without stamps late, repeated and missing replies are what they are with them',
      async (t) => {
        const [ran] = observe(t, permission, [
          {
            withoutStamps: true,
            change: { pingCount: 4 },
            answers: [['reply'], ['late'], ['reply', 'reply'], []],
          },
        ])
        t.match(seen(t, ran!).response, {
          timing: 'AGENT',
          packetsReceived: 3,
          packetLoss: 25,
          duplicates: 1,
        })
      },
    )

    await t.test('a target that never answers has failed, after the time for a reply', async (t) => {
      const [ran] = observe(t, permission, [{ answers: [] }])
      const { failure, response, metrics, responseTime } = seen(t, ran!)
      t.match(failure, {
        code: 'NO_REPLY',
        network: true,
        message: /^127\.0\.0\.1 answered none of 2 pings within \d+(\.\d)? s$/,
      })
      t.match(response, {
        packetLoss: 100,
        latency: { avg: null, stdDev: null },
        pingResults: [{ success: false, type: null, rtt: null, ttl: null }, {}],
      })
      t.same(metrics, { packetLoss: 100, dns: 0 })
      t.equal(responseTime, 0)
    })

    await t.test('wrong, mangled and repeated replies are told from right ones', async (t) => {
      const [ran] = observe(t, permission, [
        {
          change: { pingCount: 8 },
          answers: [
            ['wrong-id', 'reply'],
            ['wrong-data', 'wrong-sequence', 'reply'],
            ['reply', 'reply', 'reply'],
            ['truncated', 'garbage', 'reply'],
            ['wrong-data'],
            ['redirect', 'reply'],
            ['unreachable'],
            ['unreachable', 'reply'],
          ],
        },
      ])
      const { response, failure } = seen(t, ran!)
      t.same(
        response?.pingResults.map(({ success }) => success),
        [true, true, true, true, false, true, false, true],
      )
      t.match(response, { packetsReceived: 6, packetLoss: 25, lateReplies: 0 })
      // The reply to 1 that claimed to be one to 2 came before 2 was sent, or at the same time on a busy machine.
      t.ok([2, 3].includes(Number(response?.duplicates)))
      t.match(response?.pingResults[6], { type: 3, code: 1, from: '127.0.0.1', rtt: null })
      t.match(failure, {
        code: 'PACKET_LOSS',
        network: true,
        message:
          /^2 of 8 pings of 127\.0\.0\.1 were lost within .* s: 25 % is more than the 20 % that are allowed; 127\.0\.0\.1 says: host unreachable$/,
      })
    })
  })

t.test('a router that prohibits a ping administratively is quoted', { skip }, async (t) => {
  const answers: Answer[][] = [['prohibited'], ['prohibited']]
  const [ran] = observe(t, 'ping-group-range', [{ change: { pingCount: 2 }, answers }])
  t.match(seen(t, ran!).failure, {
    code: 'NO_REPLY',
    message: /; 127\.0\.0\.1 says: communication administratively prohibited$/,
  })
})

t.test('without any permission', { skip }, async (t) => {
  const [four, six] = observe(t, 'none', [{}, { change: { hostname: '::1' } }])
  t.same(four?.outcome, { kind: 'could-not-run', reason: notPermitted }, 'the run says what would help')
  t.same(six?.outcome, { kind: 'could-not-run', reason: notPermitted })
  t.match(notPermitted, /net\.ipv4\.ping_group_range.* or .*NET_RAW/)
})

t.test('packet loss over the maximum fails, over the lower threshold degrades', { skip }, async (t) => {
  const changes: Change[] = [
    { maxPacketLossThreshold: 24.9 },
    { maxPacketLossThreshold: 25 },
    { degradedPacketLossThreshold: 25, maxPacketLossThreshold: 25 },
    { degradedPacketLossThreshold: null, maxPacketLossThreshold: null },
    { shouldFail: true },
  ]
  const ran = observe(
    t,
    'ping-group-range',
    changes.map((change) => ({
      change: { pingCount: 4, ...change },
      answers: [['reply'], [], ['reply'], ['reply']],
    })),
  )
  const [failed, degraded, asAllowed, any, shouldFail] = ran.map((each) => seen(t, each))
  t.match(failed, { failure: { code: 'PACKET_LOSS' }, degraded: false })
  t.match(degraded, { failure: null, degraded: true })
  t.match(asAllowed, { failure: null, degraded: false })
  t.match(any, { failure: null, degraded: false, metrics: { packetLoss: 25 } })
  t.match(shouldFail, { failure: null, degraded: false })
})

t.test(
  'a slow reply is matched to its own ping, and one after its time counts as lost',
  { skip },
  async (t) => {
    const [ran] = observe(t, 'ping-group-range', [
      {
        fast: false,
        change: { pingCount: 1 },
        answers: [['late'], ['late', 'late'], ['reply']],
        // A late answer takes 600 ms; one that is given at once has nearly as long, however busy the machine is.
        series: { count: 3, intervalMs: 600, replyTimeoutMs: 550 },
      },
    ])
    t.match(ran?.series, {
      pings: [
        { sequence: 0, rtt: null, answer: null, error: null },
        { sequence: 1, rtt: null },
        { sequence: 2, rtt: Number, answer: { type: 0 } },
      ],
    })
    t.ok(Number(ran?.series?.late) >= 1, 'the second comes after the end, and nobody waits for it')
    const { response } = seen(t, ran!)
    t.match(response, { packetsReceived: 1, packetLoss: 0, lateReplies: 0 })
    t.ok(
      Number(response?.latency.avg) >= 590 && Number(response?.latency.avg) < 4000,
      `${response?.latency.avg} ms`,
    )
  },
)

t.test('assertions look at the latency and at the response as JSON', { skip }, async (t) => {
  const [ran] = observe(t, 'ping-group-range', [
    {
      change: {
        assertions: [
          { source: 'LATENCY', property: 'max', comparison: 'LESS_THAN', target: '1000' },
          { source: 'LATENCY', comparison: 'GREATER_THAN', target: '1000' },
          { source: 'LATENCY', property: 'median', comparison: 'LESS_THAN', target: '1' },
          { source: 'LATENCY', property: 'stddev', comparison: 'LESS_THAN', target: '1000' },
          { source: 'JSON_RESPONSE', property: '$.packetsReceived', comparison: 'EQUALS', target: '2' },
          {
            source: 'JSON_RESPONSE',
            property: '$.pingResults[*].ttl',
            comparison: 'GREATER_THAN',
            target: '63',
          },
        ],
      },
    },
  ])
  const { assertions, failure } = seen(t, ran!)
  t.equal(failure, null)
  t.same(
    assertions.map(({ passed }) => passed),
    [true, false, false, true, true, true],
  )
  t.match(assertions[1]?.error, /^expected latency to be greater than 1000 but it was \d+(\.\d+)?$/)
})

t.test('names', { skip }, async (t) => {
  const names = { both: ['127.0.0.1', '::1'], six: ['::1'], nobody: [], silent: 'never' as const }
  const cases = [
    { hostname: 'both' },
    { hostname: 'both', ipFamily: 'IPv6' as const },
    { hostname: 'six' },
    { hostname: 'nobody' },
  ].map((change) => ({ change, names }))
  const ran = observe(t, 'ping-group-range', [
    ...cases,
    { change: { hostname: 'silent' }, names, deadlineMs: 1000 },
  ])
  const [four, six, none, nobody, silent] = ran.map((each) => seen(t, each))
  t.match(four?.response, { hostname: 'both', resolvedIp: '127.0.0.1' })
  t.match(six?.response, { hostname: 'both', resolvedIp: '::1' })
  t.match(none, { failure: { code: 'ENOTFOUND', network: true, message: /six/ }, response: null })
  t.match(nobody?.detail, { requestError: nobody?.failure?.message, response: null })
  t.match(silent?.failure, { code: 'TIMEOUT', message: /^The address of silent was still being looked up/ })
})

t.test('IPv4 takes over where IPv6 is switched off', { skip }, async (t) => {
  const off = [
    'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6',
    'echo 1 > /proc/sys/net/ipv6/conf/lo/disable_ipv6',
  ]
  const names = { both: ['127.0.0.1', 'fd00::1'] }
  const ran = observe(
    t,
    'ping-group-range',
    [{ change: { hostname: 'both', ipFamily: 'IPv6' }, names }, { change: { hostname: 'fd00::1' } }],
    off,
  )
  const [named, literal] = ran.map((each) => seen(t, each))
  t.match(named, { failure: null, response: { resolvedIp: '127.0.0.1', ipFamily: 'IPv4' } })
  t.match(literal?.failure, { network: true, message: /fd00::1/ })
})

t.test('what cannot leave this machine is explained', { skip }, async (t) => {
  const prepare = [
    'ip route add unreachable 192.0.2.1',
    'ip route add prohibit 192.0.2.2',
    'ip route add blackhole 192.0.2.3',
    'ip link add v0 type veth peer name v1',
    'ip link set v0 up',
    'ip link set v1 up',
    'ip addr add fe80::5/64 dev v0 nodad',
  ]
  const ran = observe(
    t,
    'ping-group-range',
    [
      '192.0.2.1',
      '192.0.2.2',
      '192.0.2.3',
      '198.51.100.1',
      '127.0.0.1',
      'fe80::5',
      'fe80::5%no',
      'fe80::5%v0',
    ].map((hostname) => ({
      change: { hostname },
      blockedNetworks: ['127.0.0.0/8'],
    })),
    prepare,
  )
  const failures = ran.map((each) => seen(t, each).failure)
  t.match(failures, [
    { code: 'EHOSTUNREACH', message: 'There is no route to 192.0.2.1', network: true },
    { code: 'EACCES', message: /prohibits 192\.0\.2\.2/ },
    { code: 'EINVAL', message: /drops what is for 192\.0\.2\.3/ },
    { code: 'ENETUNREACH', message: 'The network of 198.51.100.1 cannot be reached' },
    { code: 'BLOCKED_BY_POLICY', network: false },
    { code: 'EINVAL', message: /^The link-local address fe80::5 needs the name of an interface/ },
    { code: 'EINVAL', message: /fe80::5%no needs the name of an interface/ },
    null,
  ])
})

t.test('a run ends when its time is over or when it is cancelled, and stalls nobody', { skip }, async (t) => {
  const [late, cancelled, many] = observe(t, 'ping-group-range', [
    { change: { pingCount: 50 }, answers: replies(50), deadlineMs: 5200 },
    { change: { pingCount: 50 }, answers: replies(50), cancelAfterMs: 2000 },
    { change: { pingCount: 50 }, answers: replies(49) },
  ])
  const cut = seen(t, late!)
  t.ok(Number(cut.response?.packetsSent) < 20, 'what was sent until then is judged')
  t.match(cut, { failure: null, response: { pingCount: 50 } })
  const inFlight = Number(cut.response?.packetsSent) - Number(cut.response?.packetsReceived)
  t.ok(inFlight <= 1, 'the last one may have been on its way')
  t.same(cancelled?.outcome, { kind: 'cancelled' })
  t.match(seen(t, many!).response, { packetsReceived: 49, packetLoss: 2 })
  t.ok(Number(many?.usualStallMs) < 50, `the event loop usually came back after ${many?.usualStallMs} ms`)
})
