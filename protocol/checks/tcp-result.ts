import { type Static, Type } from 'typebox'
import { AssertionOutcome } from '../assertion.ts'

/** Durations in milliseconds; null for a phase that did not take place. */
const Milliseconds = Type.Union([Type.Number({ minimum: 0 }), Type.Null()])

/**
 * `tcpCheckResult`: what a TCP run saw. `data` is the start of what the peer sent, base64 if it is not UTF-8, and
 * `dataBytes` how much was read. `endedBy` says why reading stopped: the peer closed the connection, was quiet after its
 * answer, said nothing, or a limit of size or time was reached; null if nothing was to be read. `error` names what
 * kept the connection or its answer from us.
 */
export const TcpCheckResult = Type.Object({
  assertions: Type.Array(AssertionOutcome),
  request: Type.Object({
    hostname: Type.String(),
    port: Type.Integer(),
    data: Type.Union([Type.String(), Type.Null()]),
    ipFamily: Type.Enum(['IPv4', 'IPv6']),
  }),
  response: Type.Object({
    resolvedIp: Type.Union([Type.String(), Type.Null()]),
    data: Type.String(),
    dataEncoding: Type.Enum(['utf8', 'base64']),
    dataBytes: Type.Integer({ minimum: 0 }),
    truncated: Type.Boolean(),
    endedBy: Type.Union([Type.Enum(['close', 'quiet', 'silence', 'limit', 'deadline']), Type.Null()]),
    error: Type.Union([
      Type.Object({
        code: Type.String(),
        syscall: Type.Enum(['getaddrinfo', 'connect', 'read']),
        address: Type.Union([Type.String(), Type.Null()]),
        port: Type.Integer(),
        hostname: Type.String(),
      }),
      Type.Null(),
    ]),
  }),
  timingPhases: Type.Object({
    dns: Milliseconds,
    connection: Milliseconds,
    data: Milliseconds,
    total: Milliseconds,
  }),
  requestError: Type.Union([Type.String(), Type.Null()]),
})
export type TcpCheckResult = Static<typeof TcpCheckResult>
