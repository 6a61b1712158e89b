// Runs in test:all only: it waits for packets in networks of its own.
/** Traceroute checks over real routers, by somebody without privileges. */
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { TracerouteSpec } from '../../../protocol/checks/traceroute.ts'
import { TracerouteCheckResult } from '../../../protocol/checks/traceroute-result.ts'
import type { Outcome } from '../../../protocol/result.ts'
import { fitsProtocol } from '../../support/fits-protocol.ts'
import { runInLab, traceLabProblem } from '../../support/trace-lab.ts'

const problem = traceLabProblem()
const skip = problem === null ? false : problem
const program = fileURLToPath(new URL('../../support/route-lab-program.ts', import.meta.url))
const fits = fitsProtocol(TracerouteCheckResult)

type Change = Partial<TracerouteSpec['request']> & { shouldFail?: boolean }
type Lab = { faults?: string[]; blocked?: string[] }

const specOf = ({ shouldFail = false, ...change }: Change): TracerouteSpec => ({
  request: {
    ...{ hostname: '10.77.3.1', protocol: 'TCP', port: 8080, ipFamily: 'IPv4', maxHops: 30 },
    ...{ maxUnknownHops: 8, ptrLookup: false, timeout: 10, assertions: [] },
    ...change,
  },
  shouldFail,
})

const outcomesOf = (changes: Change[], { faults = [], blocked = [] }: Lab = {}): Outcome[] =>
  JSON.parse(runInLab(program, { specs: changes.map(specOf), blocked }, { as: 'nobody', faults }))

const observe = (t: Test, changes: Change[], lab: Lab = {}) =>
  outcomesOf(changes, lab).map((outcome) => {
    if (outcome.kind !== 'observed') throw new Error(JSON.stringify(outcome))
    return fits(t, outcome.observation)
  })

const pings = 'ip netns exec agent sh -c \'echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range\''
const noPings = 'ip netns exec agent sh -c \'echo "1 0" > /proc/sys/net/ipv4/ping_group_range\''

/** Routers and target would answer six times and then once a second. */
const unlimited = ['first', 'second', 'target'].map(
  (name) => `ip netns exec ${name} sh -c 'echo 0 > /proc/sys/net/ipv4/icmp_ratelimit'`,
)

const routers = ['10.77.1.254', '10.77.2.2', '10.77.3.1']

t.test('each router and the target, by every kind of probe', { skip }, (t) => {
  const kinds: Change[] = [
    { protocol: 'TCP' },
    { protocol: 'UDP', port: 33_434 },
    { protocol: 'ICMP' },
    { hostname: 'fd77:3::1', ipFamily: 'IPv6' },
  ]
  const seen = observe(t, kinds, { faults: [pings, ...unlimited] })
  for (const [index, { failure, detail, metrics, responseTime }] of seen.entries()) {
    const is6 = index === 3
    t.equal(failure, null)
    t.match(detail, {
      totalHops: 3,
      destinationReached: true,
      response: { truncationReason: 'destinationReached', probeProtocol: kinds[index]?.protocol ?? 'TCP' },
    })
    t.strictSame(
      detail.response?.hops.map(({ mainIp }) => mainIp),
      is6 ? ['fd77:1::254', 'fd77:2::2', 'fd77:3::1'] : routers,
    )
    const latency = detail.finalHopLatency
    t.ok(Number(latency?.min) > 0 && Number(latency?.min) <= Number(latency?.avg), JSON.stringify(latency))
    t.equal(responseTime, latency?.avg, 'what is measured is the average of the last hop')
    t.match(metrics, { hopCount: 3, latencyAvg: latency?.avg })
  }
  t.match(seen[0]?.detail.response?.hops, [{ sent: 3, received: 3, lossPercentage: 0 }, {}, {}])
  t.end()
})

t.test('hops, loss and latency are asserted', { skip }, (t) => {
  const assertions: TracerouteSpec['request']['assertions'] = [
    { source: 'HOP_COUNT', comparison: 'EQUALS', target: '3' },
    { source: 'PACKET_LOSS', comparison: 'LESS_THAN', target: '1' },
    { source: 'RESPONSE_TIME', property: 'max', comparison: 'LESS_THAN', target: '60000' },
    { source: 'HOP_COUNT', comparison: 'GREATER_THAN', target: '3' },
  ]
  const [seen] = observe(t, [{ assertions }])
  t.strictSame(
    seen?.assertions.map(({ passed }) => passed),
    [true, true, true, false],
  )
  t.match(seen?.assertions[3]?.error, 'expected hop count to be greater than 3 but it was 3')
  t.end()
})

t.test('a target that is not reached fails, and says where the way ends', { skip }, (t) => {
  const prohibited = ['ip -n second route add prohibit 10.77.3.1/32']
  const [refused, wanted] = observe(t, [{}, { shouldFail: true }], { faults: prohibited })
  t.match(refused?.failure, {
    code: 'NOT_REACHED',
    network: true,
    message: /ends at hop 2, where 10\.77\.2\.2 says that it is administratively prohibited \(!X\)/,
  })
  t.match(refused?.detail, {
    ...{ totalHops: 2, destinationReached: false, finalHopLatency: null },
    response: { truncationReason: 'unreachable', packetLoss: 100, hops: [{ mark: null }, { mark: '!X' }] },
  })
  t.equal(wanted?.failure, null)

  const vanishing = ['ip -n second route add blackhole 10.77.3.1/32']
  const [lost, short] = observe(t, [{}, { maxUnknownHops: 30, timeout: 1 }], { faults: vanishing })
  t.match(lost, {
    failure: { message: /was last answered by hop 1, 10\.77\.1\.254; the target did not answer/ },
    detail: { response: { truncationReason: 'maxUnknownHops' } },
  })
  t.match(short?.detail.response, { truncationReason: 'timeout' })

  const [few] = observe(t, [{ maxHops: 2 }])
  t.match(few, {
    failure: { code: 'NOT_REACHED' },
    detail: { totalHops: 2, response: { truncationReason: 'maxHops' } },
  })
  t.end()
})

t.test('what keeps it from the way is said', { skip }, (t) => {
  const [blocked, unknown] = observe(t, [{}, { hostname: 'nobody.invalid' }], { blocked: ['10.77.3.0/24'] })
  t.match(blocked, { failure: { code: 'BLOCKED_BY_POLICY', network: false }, detail: { response: null } })
  t.match(unknown?.failure, { network: true })
  const [noRight] = outcomesOf([{ protocol: 'ICMP' }], { faults: [noPings] })
  t.match(noRight, { kind: 'could-not-run', reason: /may not send pings/ })
  t.end()
})
