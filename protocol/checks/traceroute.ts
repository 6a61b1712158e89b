import { type Static, Type } from 'typebox'
import { assertionOf } from '../assertion.ts'
import type { CheckProtocol } from './check-protocol.ts'
import { measured, usualAggregates } from './metric.ts'
import { gauge, inSeconds, ipProtocol, ipVersion, lookupTime, type ProbeSeries } from './probe-sample.ts'
import { Host } from './tcp.ts'
import { TracerouteCheckResult } from './traceroute-result.ts'

/** A traceroute check's way and what it asserts. */
const TracerouteAssertion = assertionOf(
  ['RESPONSE_TIME', 'HOP_COUNT', 'PACKET_LOSS'],
  ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN'],
)

const Port = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 1,
  maximum: 65_535,
  default: null,
  description: 'Not set: 443 for TCP, 33434 for UDP; without effect on ICMP',
})

export const TracerouteRequest = Type.Object(
  {
    url: { ...Host, description: 'The host, without scheme and port', examples: ['shop.example.com'] },
    protocol: Type.Optional(Type.Enum(['TCP', 'UDP', 'ICMP'], { default: 'TCP' })),
    port: Type.Optional(Port),
    ipFamily: Type.Optional(Type.Enum(['IPv4', 'IPv6'], { default: 'IPv4' })),
    maxHops: Type.Optional(Type.Integer({ minimum: 1, maximum: 64, default: 30 })),
    maxUnknownHops: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30,
        default: 15,
        description: 'Routers in a row that say nothing, after which the way is given up',
      }),
    ),
    ptrLookup: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether names of routers are looked for' }),
    ),
    timeout: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 30, default: 10, description: 'Seconds for the trace' }),
    ),
    assertions: Type.Optional(Type.Array(TracerouteAssertion, { maxItems: 100, default: [] })),
  },
  { additionalProperties: false },
)
export type TracerouteRequest = Static<typeof TracerouteRequest>

/** What the agent is told to do. `shouldFail`: a target that is not reached counts as passing. */
export const TracerouteSpec = Type.Object({
  request: Type.Object({
    hostname: Type.String(),
    protocol: Type.Enum(['TCP', 'UDP', 'ICMP']),
    port: Type.Integer(),
    ipFamily: Type.Enum(['IPv4', 'IPv6']),
    maxHops: Type.Integer(),
    maxUnknownHops: Type.Integer(),
    ptrLookup: Type.Boolean(),
    timeout: Type.Integer(),
    assertions: Type.Array(TracerouteAssertion),
  }),
  shouldFail: Type.Boolean(),
})
export type TracerouteSpec = Static<typeof TracerouteSpec>

const hops = gauge('probe_traceroute_total_hops', 'Routers on the way to the target, and the target itself')
const loss = gauge(
  'probe_traceroute_packet_loss_percent',
  'Probes to the last hop without an answer, in percent',
)
const reached = gauge('probe_traceroute_destination_reached', 'Whether the target itself has answered')
const route = gauge('probe_traceroute_route_hash', 'A number that changes with the routers on the way')

const probe: ProbeSeries<TracerouteCheckResult> = {
  families: [lookupTime, ipProtocol, hops, loss, reached, route],
  read: ({ response, timingPhases }) => [
    ...ipVersion(response?.resolvedIp),
    ...(timingPhases === undefined ? [] : [{ name: lookupTime.name, value: inSeconds(timingPhases.dns) }]),
    ...(response
      ? [
          { name: hops.name, value: response.totalHops },
          { name: loss.name, value: response.packetLoss },
          { name: reached.name, value: response.destinationReached ? 1 : 0 },
          { name: route.name, value: hashOf(response.hops.map(({ mainIp }) => mainIp ?? '*').join(' ')) },
        ]
      : []),
  ],
}

/** FNV-1a in 32 bits: a label with addresses would be a new series for each way. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash
}

const latencyAvg = measured('latencyAvg', 'Average latency of the last hop')
const packetLoss = measured('packetLoss', 'Packet loss of the last hop', { unit: 'percentage' })

export const tracerouteProtocol: CheckProtocol = {
  queue: 'uptime',
  // Half a minute for the trace, and a little for names before and after it.
  runLimitMs: 40_000,
  spec: TracerouteSpec,
  detail: TracerouteCheckResult,
  resultProperty: 'tracerouteCheckResult',
  metrics: [
    measured('hopCount', 'Hops', { unit: 'count' }),
    packetLoss,
    measured('latencyMin', 'Minimum latency of the last hop'),
    measured('latencyMax', 'Maximum latency of the last hop'),
    latencyAvg,
    measured('latencyStdDev', 'Standard deviation of the latency of the last hop'),
  ],
  summary: [
    { name: 'latency', metric: latencyAvg, by: usualAggregates },
    { name: 'packetLoss', metric: packetLoss, by: ['avg', 'p95', 'p99'] },
  ],
  probe,
}
