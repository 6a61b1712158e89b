import { type Static, Type } from 'typebox'
import { assertionOf } from '../assertion.ts'
import { comparisons } from '../comparisons.ts'
import type { CheckProtocol } from './check-protocol.ts'
import { GrpcCheckResult } from './grpc-result.ts'
import { measured, responseTime, responseTimeSummary } from './metric.ts'
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

/** A gRPC check's call and what it asserts. */
const GrpcAssertion = assertionOf(
  [
    ...(['RESPONSE_TIME', 'GRPC_RESPONSE', 'TEXT_BODY', 'GRPC_METADATA'] as const),
    ...(['GRPC_HEALTHCHECK_STATUS', 'GRPC_STATUS_CODE'] as const),
  ],
  comparisons,
)

const Metadata = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: 256, pattern: '^[A-Za-z0-9_.-]+$', examples: ['x-tenant'] }),
    value: Type.String({ maxLength: 8192 }),
    locked: Type.Optional(Type.Boolean({ default: false })),
  },
  { additionalProperties: false },
)

const GrpcConfig = Type.Object(
  {
    mode: Type.Optional(
      Type.Enum(['BEHAVIOR', 'HEALTH'], {
        default: 'BEHAVIOR',
        description: 'One unary call, or a question to the health service that servers share',
      }),
    ),
    tls: Type.Optional(Type.Boolean({ default: true })),
    metadata: Type.Optional(Type.Array(Metadata, { maxItems: 50, default: [] })),
    serviceDefinition: Type.Optional(
      Type.Enum(['REFLECTION', 'PROTO_FILE'], {
        default: 'REFLECTION',
        description: 'Who knows the messages: the server itself, or `protoContent`',
      }),
    ),
    method: Type.Optional(Type.String({ maxLength: 1024, default: '', examples: ['shop.v1.Shop/GetOrder'] })),
    protoContent: Type.Optional(Type.String({ maxLength: 262_144, default: '' })),
    message: Type.Optional(
      Type.String({ maxLength: 65_536, default: '', description: 'As JSON; nothing: an empty message' }),
    ),
    service: Type.Optional(
      Type.String({
        maxLength: 1024,
        default: '',
        description: 'For the health service; nothing: the server as a whole',
      }),
    ),
    encoding: Type.Optional(Type.Enum(['PROTOBUF'], { default: 'PROTOBUF' })),
  },
  { additionalProperties: false },
)

export const GrpcRequest = Type.Object(
  {
    url: { ...Host, description: 'The host, without scheme and port', examples: ['orders.example.com'] },
    port: Type.Integer({ minimum: 1, maximum: 65_535, examples: [443] }),
    ipFamily: Type.Optional(Type.Enum(['IPv4', 'IPv6'], { default: 'IPv4' })),
    skipSSL: Type.Optional(Type.Boolean({ default: false })),
    timeout: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 180, default: 60, description: 'Seconds for everything' }),
    ),
    grpcConfig: Type.Optional(GrpcConfig),
    assertions: Type.Optional(Type.Array(GrpcAssertion, { maxItems: 100, default: [] })),
  },
  { additionalProperties: false },
)
export type GrpcRequest = Static<typeof GrpcRequest>

/** What the agent is told to do. `shouldFail`: a call that ends with another status than OK counts as passing. */
export const GrpcSpec = Type.Object({
  request: Type.Object({
    hostname: Type.String(),
    port: Type.Integer(),
    ipFamily: Type.Enum(['IPv4', 'IPv6']),
    skipSSL: Type.Boolean(),
    timeout: Type.Integer(),
    mode: Type.Enum(['BEHAVIOR', 'HEALTH']),
    tls: Type.Boolean(),
    metadata: Type.Array(
      Type.Object({ key: Type.String(), value: Type.String(), locked: Type.Optional(Type.Boolean()) }),
    ),
    serviceDefinition: Type.Enum(['REFLECTION', 'PROTO_FILE']),
    method: Type.String(),
    protoContent: Type.String(),
    message: Type.String(),
    service: Type.String(),
    assertions: Type.Array(GrpcAssertion),
  }),
  shouldFail: Type.Boolean(),
})
export type GrpcSpec = Static<typeof GrpcSpec>

const took = gauge('probe_grpc_duration_seconds', 'Duration of a gRPC check by phase')
const statusCode = gauge('probe_grpc_status_code', 'Status of the gRPC call; 0: OK')
const secure = gauge('probe_grpc_ssl', 'Whether the gRPC call went over TLS')
const healthy = gauge('probe_grpc_healthcheck_serving', 'Whether the health service said SERVING')

const probe: ProbeSeries<GrpcCheckResult> = {
  families: [lookupTime, ipProtocol, took, statusCode, secure, healthy],
  read: ({ request, response, timingPhases, grpcStatusCode, healthStatus }) => [
    ...ipVersion(response?.resolvedIp),
    ...(timingPhases === undefined
      ? []
      : [
          { name: lookupTime.name, value: inSeconds(timingPhases.dns) },
          ...phases(took, {
            resolve: timingPhases.dns,
            connect: timingPhases.tcp,
            tls: timingPhases.tls,
            call: timingPhases.call,
          }),
        ]),
    ...(typeof grpcStatusCode === 'number' ? [{ name: statusCode.name, value: grpcStatusCode }] : []),
    ...(request === undefined ? [] : [{ name: secure.name, value: request.tls ? 1 : 0 }]),
    ...(typeof healthStatus === 'number' ? [{ name: healthy.name, value: healthStatus === 1 ? 1 : 0 }] : []),
  ],
}

export const grpcProtocol: CheckProtocol = {
  queue: 'uptime',
  // Three minutes for the call, and a little for what is around it.
  runLimitMs: 190_000,
  spec: GrpcSpec,
  detail: GrpcCheckResult,
  resultProperty: 'grpcCheckResult',
  metrics: [
    responseTime,
    measured('dns', 'Name resolution'),
    measured('tcp', 'Connecting'),
    measured('tls', 'TLS handshake'),
    measured('call', 'Call'),
  ],
  summary: responseTimeSummary,
  probe,
}
