import { type Static, Type } from 'typebox'
import { AssertionOutcome } from '../assertion.ts'

/** `tracerouteCheckResult`: what a traceroute run saw. Durations in milliseconds. */
const Milliseconds = Type.Number({ minimum: 0 })
const Text = Type.Union([Type.String(), Type.Null()])

/** Statistics over the answers of one hop; `stdDev` is the population's. */
const HopLatency = Type.Object({
  avg: Milliseconds,
  min: Milliseconds,
  max: Milliseconds,
  stdDev: Milliseconds,
})

/**
 * One router on the way, the target at its end. `mark`: why the way ends there, in the signs of traceroute(8). `mainHost`: the name
 * of the address, where it was looked for and has one.
 */
export const TraceHop = Type.Object({
  hopNumber: Type.Integer({ minimum: 1 }),
  mainIp: Text,
  mainHost: Text,
  mark: Text,
  sent: Type.Integer({ minimum: 0 }),
  received: Type.Integer({ minimum: 0 }),
  lossPercentage: Type.Number({ minimum: 0, maximum: 100 }),
  rtt: Type.Union([
    Type.Object({
      lastMs: Milliseconds,
      avgMs: Milliseconds,
      bestMs: Milliseconds,
      worstMs: Milliseconds,
      stddevMs: Milliseconds,
    }),
    Type.Null(),
  ]),
})
export type TraceHop = Static<typeof TraceHop>

const truncationReasons = [
  ...['destinationReached', 'unreachable', 'maxHops', 'maxUnknownHops', 'timeout'],
] as const

/** `truncationReason`: why it ends where it does. `probeProtocol`: what the probes were. */
export const TracerouteResponse = Type.Object({
  hostname: Type.String(),
  resolvedIp: Type.String(),
  ipFamily: Type.Enum(['IPv4', 'IPv6']),
  protocol: Type.String(),
  probeProtocol: Type.String(),
  totalHops: Type.Integer({ minimum: 0 }),
  destinationReached: Type.Boolean(),
  truncationReason: Type.Enum([...truncationReasons]),
  packetLoss: Type.Number({ minimum: 0, maximum: 100 }),
  finalHopLatency: Type.Union([HopLatency, Type.Null()]),
  hops: Type.Array(TraceHop),
})
export type TracerouteResponse = Static<typeof TracerouteResponse>

/** `response` is null where nothing could be sent; `requestError` then says why. */
export const TracerouteCheckResult = Type.Object({
  assertions: Type.Array(AssertionOutcome),
  request: Type.Object({
    hostname: Type.String(),
    protocol: Type.String(),
    port: Type.Union([Type.Integer(), Type.Null()]),
    ipFamily: Type.Enum(['IPv4', 'IPv6']),
    maxHops: Type.Integer(),
    maxUnknownHops: Type.Integer(),
  }),
  totalHops: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  destinationReached: Type.Union([Type.Boolean(), Type.Null()]),
  finalHopLatency: Type.Union([HopLatency, Type.Null()]),
  timingPhases: Type.Object({
    dns: Type.Union([Milliseconds, Type.Null()]),
    total: Milliseconds,
  }),
  response: Type.Union([TracerouteResponse, Type.Null()]),
  requestError: Text,
})
export type TracerouteCheckResult = Static<typeof TracerouteCheckResult>
