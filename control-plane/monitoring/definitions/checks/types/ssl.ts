import {
  type SslAssertion,
  SslRequest,
  type SslSpec,
  tlsVersions,
} from '../../../../../protocol/checks/ssl.ts'
import type { SslCheckResult } from '../../../../../protocol/checks/ssl-result.ts'
import type { Violation } from '../../../../../protocol/validate.ts'
import { violation } from '../../../../platform/words/errors.ts'
import type { CheckDoc } from '../check-doc.ts'
import { sharedFields } from '../shared-fields.ts'
import type { CheckKind } from './check-kind.ts'
import type { AnswerFacts, DetailReader } from './detail-reader.ts'
import { degradedBeforeMax, minuteFrequency, responseTimes } from './fields.ts'
import { timings } from './run-series.ts'
import { sslSections } from './ssl-sections.ts'

const sslDetail: DetailReader<SslCheckResult> = {
  sections: sslSections,
  answer: ({ request, response }): AnswerFacts => ({
    status: null,
    certificate:
      response === null
        ? null
        : { host: request.serverName, daysRemaining: response.certificate.daysRemaining },
  }),
}

/** One TLS handshake, and what the server presents in it. */
export const ssl: CheckKind = {
  type: 'SSL',
  path: 'ssl',
  title: 'SslCheck',
  words: 'an SSL check',
  label: 'SSL monitor',
  purpose: 'Is a certificate valid, and for how long?',
  note: 'One TLS handshake: chain, names, days left, key and cipher. The response time is that of the handshake.',
  fields: {
    ...sharedFields,
    request: SslRequest,
    ...minuteFrequency(),
    ...responseTimes(30_000, 3000, 10_000),
  },
  required: ['name', 'request'],
  example: {
    name: 'Certificate of the shop',
    request: { sslConfig: { hostname: 'shop.example.com' } },
    locations: ['eu-west-1'],
  },
  scheduled: true,
  takesVariables: false,
  proxied: true,
  takesClientCertificates: true,
  clientCertificate: ({ request }) => {
    const { sslConfig, sslClientCertificateId = null } = request as SslRequest
    if (sslConfig.clientCertificateMode === 'auto') return 'by-host'
    return sslConfig.clientCertificateMode === 'explicit' && sslClientCertificateId !== null
      ? { id: sslClientCertificateId }
      : null
  },
  needsRuntime: () => false,
  problems: (doc) => [...degradedBeforeMax(doc), ...certificateProblems(doc), ...assertionProblems(doc)],
  spec: ({ doc: { request, shouldFail } }): SslSpec => {
    const { sslConfig: config, assertions = [] } = request as SslRequest
    return {
      request: {
        hostname: config.hostname,
        port: config.port ?? 443,
        serverName: config.serverName || config.hostname,
        ipFamily: config.ipFamily ?? 'IPv4',
        skipChainValidation: config.skipChainValidation ?? false,
        handshakeTimeoutMs: config.handshakeTimeoutMs ?? 10_000,
        alertDaysBeforeExpiry: config.alertDaysBeforeExpiry ?? 20,
        securityBaseline: config.securityBaseline ?? {},
        assertions,
      },
      shouldFail,
    }
  },
  address: (request) => {
    const { sslConfig } = request as Partial<SslRequest>
    return { host: sslConfig?.hostname, port: sslConfig?.port ?? 443 }
  },
  series: timings('ssl_monitor_timing_seconds', 'Timings of runs of an SSL monitor, by phase', {
    dns: 'dns',
    connection: 'tcp',
    tls: 'tls',
    total: 'total',
  }),
  detail: sslDetail,
}

const certificateProblems = ({ request }: CheckDoc): Violation[] => {
  const { sslConfig, sslClientCertificateId = null } = request as SslRequest
  return sslConfig.clientCertificateMode === 'explicit' && sslClientCertificateId === null
    ? [violation('request.sslClientCertificateId', 'required', 'is required with the mode "explicit"')]
    : []
}

const numeric = ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN']
const texts = ['EQUALS', 'NOT_EQUALS', 'CONTAINS', 'NOT_CONTAINS']
const exact = ['EQUALS', 'NOT_EQUALS']
const lists = ['CONTAINS', 'NOT_CONTAINS']
const yesOrNo = ['EQUALS']

/** What goes with each fact. Other sources take every comparison. */
const facts: { readonly [source: string]: { readonly [property: string]: readonly string[] } } = {
  CERTIFICATE: {
    ...{ daysUntilExpiry: numeric, keySizeBits: numeric, subjectCN: texts, issuerCN: texts, sans: lists },
    ...{ serialNumber: exact, fingerprintSha256: exact, issuerFingerprintSha256: exact },
    ...{ keyAlgorithm: exact, signatureAlgorithm: exact, selfSigned: yesOrNo, isCA: yesOrNo },
  },
  CONNECTION: {
    ...{ tlsVersion: numeric, cipherSuite: texts, resolvedIp: texts, ocspStatus: exact },
    ...{ hostnameVerified: yesOrNo, chainTrusted: yesOrNo, ocspStapled: yesOrNo },
  },
}

const assertionProblems = ({ request }: CheckDoc): Violation[] =>
  ((request as SslRequest).assertions ?? []).flatMap((assertion, index) =>
    problemsOf(assertion, `request.assertions.${index}`),
  )

const problemsOf = (
  { source, property = '', comparison, target = '' }: SslAssertion,
  path: string,
): Violation[] => {
  if (source === 'RESPONSE_TIME') return numeric.includes(comparison) ? [] : [wrongComparison(path, numeric)]
  const known = facts[source]
  if (known === undefined) return []
  const allowed = Object.hasOwn(known, property) ? known[property] : undefined
  if (allowed === undefined)
    return [violation(`${path}.property`, 'enum', `must be one of ${Object.keys(known).join(', ')}`)]
  if (!allowed.includes(comparison)) return [wrongComparison(path, allowed)]
  return property === 'tlsVersion' && !(tlsVersions as readonly string[]).includes(target)
    ? [violation(`${path}.target`, 'enum', `must be one of ${tlsVersions.join(', ')}`)]
    : []
}

const wrongComparison = (path: string, allowed: readonly string[]): Violation =>
  violation(`${path}.comparison`, 'enum', `must be one of ${allowed.join(', ')}`)
