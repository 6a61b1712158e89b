import { type Static, Type } from 'typebox'
import { AssertionOutcome } from '../assertion.ts'

/** `icmpCheckResult`: what an ICMP run saw. The shape of `response` is the one that JSON_RESPONSE paths look into. */
const Milliseconds = Type.Number({ minimum: 0 })

/**
 * One ping, in the order of sending. `type` and `code` are those of the ICMP message that answered it: an echo reply
 * (`success`), or an error that `from` (a router, or this machine) sent instead; null when nothing came. `rtt` in
 * milliseconds, `ttl` is what was left of the reply's hop limit. `error`: the system's name for why it could not be sent.
 */
export const PingResult = Type.Object({
  sequence: Type.Integer({ minimum: 0 }),
  type: Type.Union([Type.Integer(), Type.Null()]),
  code: Type.Union([Type.Integer(), Type.Null()]),
  success: Type.Boolean(),
  rtt: Type.Union([Milliseconds, Type.Null()]),
  ttl: Type.Union([Type.Integer(), Type.Null()]),
  from: Type.Union([Type.String(), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
})
export type PingResult = Static<typeof PingResult>

/** Statistics in milliseconds over the replies in time; `stdDev` is the population's. Null without a reply. */
export const Latency = Type.Object({
  avg: Type.Union([Milliseconds, Type.Null()]),
  min: Type.Union([Milliseconds, Type.Null()]),
  max: Type.Union([Milliseconds, Type.Null()]),
  stdDev: Type.Union([Milliseconds, Type.Null()]),
})
export type Latency = Static<typeof Latency>

/**
 * `packetLoss` in percent of those sent. `duplicates` and `lateReplies` count as nothing else. `timing`: who said when replies
 * arrived, the kernel or, where that does not know, the agent, whose own delays are then in the round trips.
 */
export const IcmpResponse = Type.Object({
  hostname: Type.String(),
  resolvedIp: Type.String(),
  ipFamily: Type.Enum(['IPv4', 'IPv6']),
  pingCount: Type.Integer(),
  packetsSent: Type.Integer({ minimum: 0 }),
  packetsReceived: Type.Integer({ minimum: 0 }),
  packetSize: Type.Integer(),
  packetLoss: Type.Number({ minimum: 0, maximum: 100 }),
  dnsResolutionTime: Milliseconds,
  latency: Latency,
  duplicates: Type.Integer({ minimum: 0 }),
  lateReplies: Type.Integer({ minimum: 0 }),
  timing: Type.Optional(Type.Enum(['KERNEL', 'AGENT'])),
  pingResults: Type.Array(PingResult),
})
export type IcmpResponse = Static<typeof IcmpResponse>

/** `response` is null when nothing could be sent; `requestError` then says why. */
export const IcmpCheckResult = Type.Object({
  assertions: Type.Array(AssertionOutcome),
  request: Type.Object({
    hostname: Type.String(),
    ipFamily: Type.Enum(['IPv4', 'IPv6']),
    pingCount: Type.Integer(),
  }),
  response: Type.Union([IcmpResponse, Type.Null()]),
  requestError: Type.Union([Type.String(), Type.Null()]),
})
export type IcmpCheckResult = Static<typeof IcmpCheckResult>
