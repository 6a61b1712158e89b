import { type Static, Type } from 'typebox'
import { AssertionOutcome } from '../assertion.ts'

/** `grpcCheckResult`: what a gRPC run saw. Durations in milliseconds; null for a phase that did not take place. */
const Milliseconds = Type.Union([Type.Number({ minimum: 0 }), Type.Null()])
const Text = Type.Union([Type.String(), Type.Null()])
const Status = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])

/**
 * `responseMessage` is the start of the answer, as JSON. `discoveredMethods`: those of the service's files, a hundred at most.
 * Values of `metadata` that are no text are base64, as they came.
 */
export const GrpcResponse = Type.Object({
  grpcMode: Type.Enum(['BEHAVIOR', 'HEALTH']),
  host: Type.String(),
  resolvedIp: Text,
  port: Type.Integer(),
  grpcMethod: Type.String(),
  responseMessage: Type.String(),
  truncated: Type.Boolean(),
  grpcStatusMessage: Type.String(),
  healthStatusLabel: Text,
  metadata: Type.Array(Type.Object({ key: Type.String(), value: Type.String() })),
  discoveredMethods: Type.Array(Type.String()),
})
export type GrpcResponse = Static<typeof GrpcResponse>

/** `response` is null where no call was answered; `requestError` then says why. `call`: from the request to its status. */
export const GrpcCheckResult = Type.Object({
  assertions: Type.Array(AssertionOutcome),
  request: Type.Object({
    host: Type.String(),
    port: Type.Integer(),
    ipFamily: Type.Enum(['IPv4', 'IPv6']),
    tls: Type.Boolean(),
    grpcMethod: Type.String(),
    message: Type.String(),
  }),
  grpcStatusCode: Status,
  healthStatus: Status,
  timingPhases: Type.Object({
    dns: Milliseconds,
    tcp: Milliseconds,
    tls: Milliseconds,
    reflection: Milliseconds,
    call: Milliseconds,
    total: Milliseconds,
  }),
  response: Type.Union([GrpcResponse, Type.Null()]),
  requestError: Text,
})
export type GrpcCheckResult = Static<typeof GrpcCheckResult>

/** What `healthStatus` means, by its number. */
export const healthLabels = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const
