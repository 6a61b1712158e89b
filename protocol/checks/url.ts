import { type Static, Type } from 'typebox'
import { networkEvidence } from '../artifact-kinds.ts'
import { assertionOf } from '../assertion.ts'
import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { httpMetrics, tlsMetrics } from './http-metrics.ts'
import { httpProbe } from './http-probe.ts'
import { HttpCheckResult } from './http-result.ts'
import { responseTimeSummary } from './metric.ts'

/** A URL monitor's request: one GET and its assertions. */
const UrlAssertion = assertionOf(['STATUS_CODE'], ['EQUALS', 'NOT_EQUALS', 'LESS_THAN', 'GREATER_THAN'])

export const UrlRequest = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      pattern: '^[hH][tT][tT][pP][sS]?://',
      examples: ['https://example.com/'],
    }),
    method: Type.Optional(Type.Enum(['GET'], { default: 'GET' })),
    followRedirects: Type.Optional(Type.Boolean({ default: true })),
    skipSSL: Type.Optional(Type.Boolean({ default: false })),
    ipFamily: Type.Optional(Type.Enum(['IPv4', 'IPv6'], { default: 'IPv4' })),
    assertions: Type.Optional(Type.Array(UrlAssertion, { maxItems: 100, default: [] })),
  },
  { additionalProperties: false },
)
export type UrlRequest = Static<typeof UrlRequest>

/**
 * What the agent is told to do. `shouldFail`: 4xx and 5xx count as passing; assertions still decide. `sendTraceparent`: each
 * attempt is a trace of its own (W3C Trace Context).
 */
export const UrlSpec = Type.Object({
  request: Type.Object({
    url: Type.String(),
    method: Type.Enum(['GET']),
    followRedirects: Type.Boolean(),
    skipSSL: Type.Boolean(),
    ipFamily: Type.Enum(['IPv4', 'IPv6']),
    assertions: Type.Array(UrlAssertion),
  }),
  shouldFail: Type.Boolean(),
  sendTraceparent: Type.Optional(Type.Boolean()),
})
export type UrlSpec = Static<typeof UrlSpec>

export const urlProtocol: CheckProtocol = {
  queue: 'uptime',
  runLimitMs: runLimits.uptime,
  spec: UrlSpec,
  detail: HttpCheckResult,
  resultProperty: 'apiCheckResult',
  metrics: httpMetrics,
  tlsMetrics,
  summary: responseTimeSummary,
  artifacts: networkEvidence,
  probe: httpProbe,
}
