import { type Static, Type } from 'typebox'
import { assertionOf } from '../assertion.ts'
import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { tlsMetrics } from './http-metrics.ts'
import { type Metric, measured, responseTimeSummary } from './metric.ts'
import {
  certificateExpiry,
  gauge,
  inSeconds,
  ipProtocol,
  ipVersion,
  lookupTime,
  type ProbeSeries,
  phases,
} from './probe-sample.ts'
import { SslCheckResult } from './ssl-result.ts'
import { Host } from './tcp.ts'

/** An SSL check's handshake and what it asserts; which comparisons go with which property is the control plane's to say. */
const SslAssertion = assertionOf(
  ['CERTIFICATE', 'CONNECTION', 'RESPONSE_TIME', 'JSON_RESPONSE', 'TEXT_RESPONSE'],
  [
    ...(['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN', 'CONTAINS', 'NOT_CONTAINS'] as const),
    ...(['IS_EMPTY', 'NOT_EMPTY', 'IS_NULL', 'NOT_NULL'] as const),
  ],
)
export type SslAssertion = Static<typeof SslAssertion>

export const tlsVersions = ['TLS1.0', 'TLS1.1', 'TLS1.2', 'TLS1.3'] as const

const severity = (fallback: 'fail' | 'degrade' | 'ignore') =>
  Type.Optional(Type.Enum(['fail', 'degrade', 'ignore'], { default: fallback }))

const rule = (fallback: 'fail' | 'ignore') =>
  Type.Optional(Type.Object({ severity: severity(fallback) }, { additionalProperties: false }))

const versionRule = (least: (typeof tlsVersions)[number], fallback: 'fail' | 'ignore') =>
  Type.Optional(
    Type.Object(
      { value: Type.Optional(Type.Enum([...tlsVersions], { default: least })), severity: severity(fallback) },
      { additionalProperties: false },
    ),
  )

const bitsRule = (least: number, fallback: 'fail' | 'ignore') =>
  Type.Optional(
    Type.Object(
      {
        value: Type.Optional(Type.Integer({ minimum: 1024, maximum: 16_384, default: least })),
        severity: severity(fallback),
      },
      { additionalProperties: false },
    ),
  )

/** What a server should do whatever the check asserts. Keys of elliptic curves count as RSA keys of the same strength. */
export const SecurityBaselineRules = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ default: true })),
    minTLSVersion: versionRule('TLS1.2', 'fail'),
    minKeySizeBits: bitsRule(2048, 'fail'),
    weakSignatureAlgorithm: rule('fail'),
    weakCipherSuite: rule('fail'),
    knownBadCA: rule('fail'),
    recommendedTLSVersion: versionRule('TLS1.3', 'ignore'),
    recommendedKeySizeBits: bitsRule(3072, 'ignore'),
    ocspMustStapleRespected: rule('ignore'),
    sctPresent: rule('ignore'),
  },
  { additionalProperties: false },
)
export type SecurityBaselineRules = Static<typeof SecurityBaselineRules>

const ServerName = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  maxLength: 253,
  default: null,
  description:
    'The name that is asked for (SNI) and that the certificate must have; not set: that of the host',
})

const ClientCertificateMode = Type.Unsafe<'auto' | 'explicit' | null>({
  enum: ['auto', 'explicit', null],
  default: null,
  description:
    'auto: the client certificate of the account whose host matches; explicit: that of `sslClientCertificateId`',
})

const SslConfig = Type.Object(
  {
    hostname: { ...Host, examples: ['shop.example.com'] },
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, default: 443 })),
    serverName: Type.Optional(ServerName),
    ipFamily: Type.Optional(Type.Enum(['IPv4', 'IPv6'], { default: 'IPv4' })),
    skipChainValidation: Type.Optional(
      Type.Boolean({ default: false, description: 'Chain and names are shown and asserted, not judged' }),
    ),
    handshakeTimeoutMs: Type.Optional(Type.Integer({ minimum: 1000, maximum: 30_000, default: 10_000 })),
    alertDaysBeforeExpiry: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 365, default: 20, description: 'Degraded with fewer days left' }),
    ),
    clientCertificateMode: Type.Optional(ClientCertificateMode),
    securityBaseline: Type.Optional(SecurityBaselineRules),
  },
  { additionalProperties: false },
)

export const SslRequest = Type.Object(
  {
    sslConfig: SslConfig,
    sslClientCertificateId: Type.Optional(
      Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid', default: null }),
    ),
    assertions: Type.Optional(Type.Array(SslAssertion, { maxItems: 100, default: [] })),
  },
  { additionalProperties: false },
)
export type SslRequest = Static<typeof SslRequest>

/** What the agent is told to do. `shouldFail`: a handshake or certificate that is refused counts as passing. */
export const SslSpec = Type.Object({
  request: Type.Object({
    hostname: Type.String(),
    port: Type.Integer(),
    serverName: Type.String(),
    ipFamily: Type.Enum(['IPv4', 'IPv6']),
    skipChainValidation: Type.Boolean(),
    handshakeTimeoutMs: Type.Integer(),
    alertDaysBeforeExpiry: Type.Integer(),
    securityBaseline: SecurityBaselineRules,
    assertions: Type.Array(SslAssertion),
  }),
  shouldFail: Type.Boolean(),
})
export type SslSpec = Static<typeof SslSpec>

const took = gauge('probe_ssl_duration_seconds', 'Duration of an SSL check by phase')
const keySize = gauge('probe_ssl_key_length', 'Bits of the key in the certificate of the server')
const trusted = gauge(
  'probe_ssl_chain_trusted',
  'Whether the certificate of the server leads to a trusted root',
)
const named = gauge('probe_ssl_hostname_verified', 'Whether the certificate of the server has its name')

const probe: ProbeSeries<SslCheckResult> = {
  families: [lookupTime, ipProtocol, certificateExpiry, took, keySize, trusted, named],
  read: ({ response, timingPhases }) => [
    ...ipVersion(response?.resolvedIp),
    ...(timingPhases === undefined
      ? []
      : [
          { name: lookupTime.name, value: inSeconds(timingPhases.dns) },
          ...phases(took, {
            resolve: timingPhases.dns,
            connect: timingPhases.tcp,
            tls: timingPhases.tls,
          }),
        ]),
    ...(response ? ofCertificate(response) : []),
  ],
}

const ofCertificate = ({
  chain,
  certificate,
  chainTrusted,
  hostnameVerified,
}: NonNullable<SslCheckResult['response']>) => [
  {
    name: certificateExpiry.name,
    value: Math.min(...[...chain, certificate].map(({ validTo }) => Date.parse(validTo) / 1000)),
  },
  { name: keySize.name, value: certificate.keySizeBits },
  { name: trusted.name, value: chainTrusted ? 1 : 0 },
  { name: named.name, value: hostnameVerified ? 1 : 0 },
]

/** Yes and no are 1 and 0, so that their average is a share. */
const metrics: readonly Metric[] = [
  ...tlsMetrics,
  measured('keySizeBits', 'Bits of the key', { unit: 'count' }),
  measured('tlsVersion', 'Version of TLS', { unit: 'score' }),
  measured('chainTrusted', 'The chain is trusted', { unit: 'score' }),
  measured('hostnameVerified', 'The certificate has the name', { unit: 'score' }),
  measured('ocspStapled', 'An answer of the authority is sent along (OCSP)', { unit: 'score' }),
]

export const sslProtocol: CheckProtocol = {
  queue: 'uptime',
  runLimitMs: runLimits.uptime,
  spec: SslSpec,
  detail: SslCheckResult,
  resultProperty: 'sslCheckResult',
  metrics,
  tlsMetrics: metrics,
  summary: responseTimeSummary,
  probe,
}
