import { type Static, Type } from 'typebox'
import { assertionOf } from '../assertion.ts'
import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { measured, responseTimeSummary } from './metric.ts'
import { inSeconds, ipProtocol, ipVersion, lookupTime, type ProbeSeries } from './probe-sample.ts'
import { TcpCheckResult } from './tcp-result.ts'

/** A TCP check's connection and what it asserts. */
const TcpAssertion = assertionOf(
  ['RESPONSE_DATA', 'RESPONSE_TIME'],
  ['EQUALS', 'NOT_EQUALS', 'IS_EMPTY', 'NOT_EMPTY', 'LESS_THAN', 'GREATER_THAN', 'CONTAINS', 'NOT_CONTAINS'],
)

/** A name or an address, without scheme and port. */
export const Host = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^[^\\s/?#@\\u0000-\\u001f\\u007f]+$',
  examples: ['db.example.com'],
})

const Data = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 65_536,
  default: null,
})

/** `url` and `body` are older names of `hostname` and `data`: one of each pair is needed, or allowed. */
export const TcpRequest = Type.Object(
  {
    hostname: Type.Optional(Host),
    url: Type.Optional({ ...Host, description: 'Older name of `hostname`' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, examples: [5432] }),
    data: Type.Optional({ ...Data, description: 'Sent once connected' }),
    body: Type.Optional({ ...Data, description: 'Older name of `data`' }),
    ipFamily: Type.Optional(Type.Enum(['IPv4', 'IPv6'], { default: 'IPv4' })),
    assertions: Type.Optional(Type.Array(TcpAssertion, { maxItems: 100, default: [] })),
  },
  { additionalProperties: false },
)
export type TcpRequest = Static<typeof TcpRequest>

/** What the agent is told to do. `shouldFail`: a refused or timed-out connection counts as passing. */
export const TcpSpec = Type.Object({
  request: Type.Object({
    hostname: Type.String(),
    port: Type.Integer(),
    data: Type.Union([Type.String(), Type.Null()]),
    ipFamily: Type.Enum(['IPv4', 'IPv6']),
    assertions: Type.Array(TcpAssertion),
  }),
  shouldFail: Type.Boolean(),
})
export type TcpSpec = Static<typeof TcpSpec>

const probe: ProbeSeries<TcpCheckResult> = {
  families: [lookupTime, ipProtocol],
  read: ({ response, timingPhases }) => [
    ...ipVersion(response?.resolvedIp),
    ...(typeof timingPhases?.dns === 'number'
      ? [{ name: lookupTime.name, value: inSeconds(timingPhases.dns) }]
      : []),
  ],
}

export const tcpProtocol: CheckProtocol = {
  queue: 'uptime',
  runLimitMs: runLimits.uptime,
  spec: TcpSpec,
  detail: TcpCheckResult,
  resultProperty: 'tcpCheckResult',
  metrics: [
    measured('total', 'Total time'),
    measured('dns', 'Name resolution'),
    measured('connection', 'Connecting'),
    measured('data', 'Waiting for data'),
  ],
  summary: responseTimeSummary,
  probe,
}
