import { type Static, Type } from 'typebox'
import { networkEvidence } from '../artifact-kinds.ts'
import { assertionOf } from '../assertion.ts'
import { comparisons } from '../comparisons.ts'
import type { CheckProtocol } from './check-protocol.ts'
import { httpMetrics, tlsMetrics } from './http-metrics.ts'
import { httpProbe } from './http-probe.ts'
import { HttpCheckResult } from './http-result.ts'
import { responseTimeSummary } from './metric.ts'

/** An API check's request and what it asserts. Sources and comparisons may be paired freely. */
export const apiMethods = ['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'PATCH'] as const
const apiBodyTypes = ['JSON', 'FORM', 'RAW', 'GRAPHQL', 'NONE'] as const
const apiSources = ['STATUS_CODE', 'JSON_BODY', 'HEADERS', 'TEXT_BODY', 'RESPONSE_TIME'] as const

const closed = { additionalProperties: false }

/**
 * Characters of each part of a request that is sent, all its names and values together, with their variables. Servers take much less
 * of what comes before a body.
 */
export const maxRequestLength = {
  queryParameters: 256 * 1024,
  headers: 256 * 1024,
  body: 8 * 1024 * 1024,
} as const

export const ApiAssertion = assertionOf(apiSources, comparisons)

/** A header or a query parameter; `locked`: its value is shown only to those who may change it. */
export const KeyValue = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: 1024 }),
    value: Type.String({ maxLength: 16_384 }),
    locked: Type.Optional(Type.Boolean({ default: false })),
  },
  closed,
)

/** Each may hold templates. */
export const BasicAuth = Type.Object(
  { username: Type.String({ maxLength: 1024 }), password: Type.String({ maxLength: 1024 }) },
  closed,
)

/**
 * The address may begin with a template (`{{GROUP_BASE_URL}}/health`), so only one that names another scheme than HTTP's
 * can be told to be wrong.
 */
const apiUrlPattern = '^([hH][tT][tT][pP][sS]?://|[^:/?#{]*\\{\\{)'

export const ApiRequest = Type.Object(
  {
    method: Type.Enum([...apiMethods]),
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      pattern: apiUrlPattern,
      examples: ['https://example.com/api/orders'],
    }),
    followRedirects: Type.Optional(Type.Boolean({ default: true })),
    skipSSL: Type.Optional(Type.Boolean({ default: false })),
    ipFamily: Type.Optional(Type.Enum(['IPv4', 'IPv6'], { default: 'IPv4' })),
    body: Type.Optional(Type.String({ maxLength: 256 * 1024, default: '' })),
    bodyType: Type.Optional(Type.Enum([...apiBodyTypes], { default: 'NONE' })),
    headers: Type.Optional(Type.Array(KeyValue, { maxItems: 100, default: [] })),
    queryParameters: Type.Optional(Type.Array(KeyValue, { maxItems: 100, default: [] })),
    assertions: Type.Optional(Type.Array(ApiAssertion, { maxItems: 100, default: [] })),
    basicAuth: Type.Optional(
      Type.Unsafe<Static<typeof BasicAuth> | null>({ ...BasicAuth, type: ['object', 'null'], default: null }),
    ),
  },
  closed,
)
export type ApiRequest = Static<typeof ApiRequest>

/** `locked`: no result shows the value. */
const JobKeyValue = Type.Object({
  key: Type.String(),
  value: Type.String(),
  locked: Type.Optional(Type.Boolean()),
})

/**
 * Node.js code of a user. `name` says which it is, for messages: `the setup script of the group`. Of a snippet that others
 * may require it is the name without `.js`.
 */
export const ApiScript = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 400 }),
  code: Type.String(),
})
export type ApiScript = Static<typeof ApiScript>

/**
 * What the agent is told to do: the settings of the check's group are already merged in. Scripts run in their order,
 * each with the variables of the job; `snippets` are those that they require as `./snippets/<name>.js`. `shouldFail`: 4xx
 * and 5xx count as passing; assertions still decide. `sendTraceparent`: each attempt is a trace of its own (W3C Trace
 * Context), unless `headers` has a `traceparent`.
 */
export const ApiSpec = Type.Object({
  request: Type.Object({
    method: Type.Enum([...apiMethods]),
    url: Type.String(),
    followRedirects: Type.Boolean(),
    skipSSL: Type.Boolean(),
    ipFamily: Type.Enum(['IPv4', 'IPv6']),
    body: Type.String(),
    bodyType: Type.Enum([...apiBodyTypes]),
    headers: Type.Array(JobKeyValue),
    queryParameters: Type.Array(JobKeyValue),
    assertions: Type.Array(ApiAssertion),
    basicAuth: Type.Union([BasicAuth, Type.Null()]),
  }),
  shouldFail: Type.Boolean(),
  setupScripts: Type.Array(ApiScript),
  tearDownScripts: Type.Array(ApiScript),
  snippets: Type.Optional(Type.Array(ApiScript)),
  sendTraceparent: Type.Optional(Type.Boolean()),
})
export type ApiSpec = Static<typeof ApiSpec>

export const apiProtocol: CheckProtocol = {
  queue: 'uptime',
  // The request's 30 s, and 10 s for each of eight scripts around it: snippet and script of check and group, twice.
  runLimitMs: 110_000,
  spec: ApiSpec,
  detail: HttpCheckResult,
  resultProperty: 'apiCheckResult',
  metrics: httpMetrics,
  tlsMetrics,
  summary: responseTimeSummary,
  artifacts: networkEvidence,
  probe: httpProbe,
}
