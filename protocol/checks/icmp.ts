import { type Static, Type } from 'typebox'
import { assertionOf } from '../assertion.ts'
import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { IcmpCheckResult } from './icmp-result.ts'
import { measured, usualAggregates } from './metric.ts'
import {
  gauge,
  inSeconds,
  ipProtocol,
  ipVersion,
  lookupTime,
  type ProbeSeries,
  phases,
} from './probe-sample.ts'
import { Host } from './tcp.ts'

/** An ICMP check's pings and what it asserts. */
const IcmpAssertion = assertionOf(
  ['LATENCY', 'JSON_RESPONSE'],
  [
    'EQUALS',
    'NOT_EQUALS',
    'IS_EMPTY',
    'NOT_EMPTY',
    'GREATER_THAN',
    'LESS_THAN',
    'CONTAINS',
    'NOT_CONTAINS',
    'IS_NULL',
    'NOT_NULL',
  ],
)

/** What `property` of LATENCY may be, and the statistic that it means. */
export const latencyStatistics: Record<string, 'avg' | 'min' | 'max' | 'stdDev'> = {
  '': 'avg',
  avg: 'avg',
  min: 'min',
  max: 'max',
  stdDev: 'stdDev',
  stddev: 'stdDev',
}

const IpFamily = Type.Unsafe<'IPv4' | 'IPv6' | null>({
  enum: ['IPv4', 'IPv6', null],
  default: 'IPv4',
})

const PingCount = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 1,
  maximum: 50,
  default: 10,
  description: 'Half a second lies between two pings',
})

export const IcmpRequest = Type.Object(
  {
    hostname: Host,
    ipFamily: Type.Optional(IpFamily),
    pingCount: Type.Optional(PingCount),
    assertions: Type.Optional(Type.Array(IcmpAssertion, { maxItems: 100, default: [] })),
  },
  { additionalProperties: false },
)
export type IcmpRequest = Static<typeof IcmpRequest>

const Percent = Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: 100 }), Type.Null()])

/** What the agent is told to do. More lost packets than a threshold, in percent: degraded, or failed; null: any number. */
export const IcmpSpec = Type.Object({
  request: Type.Object({
    hostname: Type.String(),
    ipFamily: Type.Enum(['IPv4', 'IPv6']),
    pingCount: Type.Integer(),
    assertions: Type.Array(IcmpAssertion),
  }),
  degradedPacketLossThreshold: Percent,
  maxPacketLossThreshold: Percent,
  shouldFail: Type.Boolean(),
})
export type IcmpSpec = Static<typeof IcmpSpec>

const packetLoss = measured('packetLoss', 'Packet loss', { unit: 'percentage' })
const latencyAvg = measured('latencyAvg', 'Average latency')

const took = gauge('probe_icmp_duration_seconds', 'Duration of the pings by phase')

const probe: ProbeSeries<IcmpCheckResult> = {
  families: [lookupTime, ipProtocol, took],
  read: ({ response }) =>
    response
      ? [
          ...ipVersion(response.resolvedIp),
          { name: lookupTime.name, value: inSeconds(response.dnsResolutionTime) },
          ...phases(took, {
            resolve: response.dnsResolutionTime,
            ...(response.latency?.avg == null ? {} : { rtt: response.latency.avg }),
          }),
        ]
      : [],
}

export const icmpProtocol: CheckProtocol = {
  queue: 'uptime',
  runLimitMs: runLimits.uptime,
  spec: IcmpSpec,
  detail: IcmpCheckResult,
  resultProperty: 'icmpCheckResult',
  metrics: [
    packetLoss,
    measured('latencyMin', 'Minimum latency'),
    measured('latencyMax', 'Maximum latency'),
    latencyAvg,
    measured('latencyStdDev', 'Standard deviation of the latency'),
  ],
  summary: [
    { name: 'latency', metric: latencyAvg, by: usualAggregates },
    { name: 'packetLoss', metric: packetLoss, by: ['avg', 'p95', 'p99'] },
  ],
  probe,
}
