import { type Static, Type } from 'typebox'
import { AssertionOutcome } from '../assertion.ts'

/** `sslCheckResult`: what an SSL run saw. The shape of `response` is the one that JSON_RESPONSE paths look into. */
const Milliseconds = Type.Union([Type.Number({ minimum: 0 }), Type.Null()])
const Text = Type.Union([Type.String(), Type.Null()])
const Flag = Type.Union([Type.Boolean(), Type.Null()])

/**
 * The server's own certificate. Names of algorithms as OpenSSL has them. `daysRemaining` is `daysUntilExpiry` as results of
 * other checks call it, by which analytics read both.
 */
export const PresentedCertificate = Type.Object({
  subjectCN: Type.String(),
  issuerCN: Type.String(),
  subject: Type.String(),
  issuer: Type.String(),
  serialNumber: Type.String(),
  fingerprintSha256: Type.String(),
  issuerFingerprintSha256: Text,
  keyAlgorithm: Type.String(),
  keySizeBits: Type.Integer({ minimum: 0 }),
  signatureAlgorithm: Type.String(),
  sans: Type.Array(Type.String()),
  selfSigned: Type.Boolean(),
  isCA: Type.Boolean(),
  validFrom: Type.String(),
  validTo: Type.String(),
  daysUntilExpiry: Type.Integer(),
  daysRemaining: Type.Integer(),
  mustStaple: Type.Boolean(),
  sctPresent: Type.Boolean(),
})
export type PresentedCertificate = Static<typeof PresentedCertificate>

/** A certificate of the chain, the server's first; what the server did not send is there where this agent knows it. */
export const ChainLink = Type.Object({
  subject: Type.String(),
  issuer: Type.String(),
  fingerprintSha256: Type.String(),
  validTo: Type.String(),
  daysUntilExpiry: Type.Integer(),
  isCA: Type.Boolean(),
})
export type ChainLink = Static<typeof ChainLink>

/** A rule of the security baseline and whether it holds. */
export const BaselineOutcome = Type.Object({
  rule: Type.String(),
  severity: Type.Enum(['fail', 'degrade', 'ignore']),
  passed: Type.Boolean(),
  expected: Type.String(),
  actual: Type.String(),
})
export type BaselineOutcome = Static<typeof BaselineOutcome>

const Verdict = Type.Enum(['pass', 'warn', 'fail'])
const Grade = Type.Enum(['A', 'A-', 'B', 'F'])

export const SecurityBaseline = Type.Object({
  verdict: Verdict,
  grade: Grade,
  rules: Type.Array(BaselineOutcome),
})
export type SecurityBaseline = Static<typeof SecurityBaseline>

/** `chainError`, `nameError`: why it is not trusted, or not for the name. `ocspStatus`: of the answer that was sent along. */
export const SslResponse = Type.Object({
  resolvedIp: Text,
  tlsVersion: Type.String(),
  cipherSuite: Type.String(),
  chainTrusted: Type.Boolean(),
  chainError: Text,
  hostnameVerified: Type.Boolean(),
  nameError: Text,
  ocspStapled: Type.Boolean(),
  ocspStatus: Type.Union([Type.Enum(['good', 'revoked', 'unknown']), Type.Null()]),
  certificate: PresentedCertificate,
  chain: Type.Array(ChainLink),
  securityBaseline: Type.Union([SecurityBaseline, Type.Null()]),
})
export type SslResponse = Static<typeof SslResponse>

/** What went wrong first; null: nothing. */
const failureCategories = [
  ...['connection', 'handshake', 'expired', 'chain', 'hostname', 'revoked', 'baseline'],
] as const

/** `response` is null where no handshake was finished; `requestError` then says why. */
export const SslCheckResult = Type.Object({
  assertions: Type.Array(AssertionOutcome),
  request: Type.Object({
    hostname: Type.String(),
    port: Type.Integer(),
    serverName: Type.String(),
    ipFamily: Type.Enum(['IPv4', 'IPv6']),
  }),
  tlsVersion: Text,
  cipherSuite: Text,
  daysUntilExpiry: Type.Union([Type.Integer(), Type.Null()]),
  handshakeTimeMs: Milliseconds,
  chainTrusted: Flag,
  hostnameVerified: Flag,
  baselineVerdict: Type.Union([Verdict, Type.Null()]),
  baselineGrade: Type.Union([Grade, Type.Null()]),
  failureCategory: Type.Union([Type.Enum([...failureCategories]), Type.Null()]),
  timingPhases: Type.Object({
    dns: Milliseconds,
    tcp: Milliseconds,
    tls: Milliseconds,
    total: Milliseconds,
  }),
  response: Type.Union([SslResponse, Type.Null()]),
  requestError: Text,
})
export type SslCheckResult = Static<typeof SslCheckResult>
