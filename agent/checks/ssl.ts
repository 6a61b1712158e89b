import type { SecureContext, TLSSocket } from 'node:tls'
import type { AssertionOutcome } from '../../protocol/assertion.ts'
import { SslSpec } from '../../protocol/checks/ssl.ts'
import type { SslCheckResult, SslResponse } from '../../protocol/checks/ssl-result.ts'
import type { Failure, Observation } from '../../protocol/result.ts'
import { connectOrTunnel } from '../net/connect/connect-or-tunnel.ts'
import type { Attempt, Moments } from '../net/connect/connection.ts'
import { describeFailure, timedOut } from '../net/connect/failures.ts'
import { ocspStatusOf } from '../net/connect/ocsp.ts'
import { nameProblem, presentedChain } from '../net/connect/presented-chain.ts'
import { failureOfAbort, whenAborted } from '../net/connect/when-aborted.ts'
import type { Io } from '../net/io.ts'
import { bare, familyOf, isHost, type ProbeModule, splitPort } from './probe-module.ts'
import { type RunContext, runner } from './runner.ts'
import { judgeSsl } from './ssl-assertions.ts'
import { brokenRules, judgeBaseline } from './ssl-baseline.ts'

/** `openTrust`: trusts what all checks trust, and also shakes hands with servers that are old and weak, to say so. */
export type SslIo = Io & { openTrust(): SecureContext }

type Category = NonNullable<SslCheckResult['failureCategory']>
type Problem = { category: Category; failure: Failure }

/** One handshake; what the server presents in it is judged by its chain, names, baseline and assertions. */
export const runSsl = async (
  spec: SslSpec,
  io: SslIo,
  { signal, judge }: Pick<RunContext, 'signal' | 'judge'>,
): Promise<Observation> => {
  const attempt = attemptOf(spec, io)
  const { clock } = io
  try {
    const notSeen = await shakeHands(spec, attempt, { io, signal })
    const endedAt = clock.monotonic()
    const response = notSeen === null ? responseOf(spec, attempt, clock.now()) : null
    const timingPhases = phasesOf(attempt.moments, endedAt)
    const problem =
      notSeen ?? (response === null ? nothingPresented(attempt) : problemOf(spec, attempt, response))
    const responseTime = Math.round(timingPhases.tls ?? timingPhases.total ?? 0)
    const assertions =
      response === null
        ? []
        : await judgeSsl(spec.request.assertions, { response, handshakeTime: responseTime }, judge)
    return observed(spec, { problem, response, timingPhases, responseTime, assertions })
  } finally {
    attempt.over = true
    attempt.socket?.destroy()
  }
}

const probe: ProbeModule = (target) => {
  const { host, port } = splitPort(target) ?? { host: bare(target), port: 443 }
  if (!isHost(host)) return { problem: 'target must be a host, with or without a port' }
  const request = {
    ...{ hostname: host, port, serverName: host, ipFamily: familyOf(host), skipChainValidation: false },
    ...{ handshakeTimeoutMs: 10_000, alertDaysBeforeExpiry: 1, securityBaseline: {}, assertions: [] },
  }
  return { host, spec: { request, shouldFail: false } }
}

export const sslRunner = { ...runner(SslSpec, runSsl, () => true), probes: { tls_connect: probe } }

const attemptOf = ({ request: { hostname, port } }: SslSpec, { clock }: Io): Attempt => ({
  state: { host: bare(hostname), port, address: null, elapsedMs: 0, phase: 'lookup' },
  moments: { started: clock.monotonic(), lookup: null, connect: null, secureConnect: null },
  socket: null,
  readBuffer: null,
  peer: null,
  over: false,
})

/** Null when the handshake is finished, whatever was presented in it. */
const shakeHands = async (
  { request: { ipFamily, serverName, handshakeTimeoutMs } }: SslSpec,
  attempt: Attempt,
  { io, signal }: { io: SslIo; signal: AbortSignal },
): Promise<Problem | null> => {
  const tls = { serverName, protocols: [], trust: io.openTrust() }
  const target = { url: { protocol: 'https:' }, ipFamily, skipTls: true, tls }
  const aborted = whenAborted(signal)
  let cancel = (): void => undefined
  const late = new Promise<'late'>((resolve) => {
    cancel = io.clock.at(handshakeTimeoutMs, () => resolve('late'))
  })
  try {
    const ended = await Promise.race([connectOrTunnel(target, attempt, io), aborted.promise, late])
    const failure =
      ended === 'aborted'
        ? failureOfAbort(signal, attempt.state)
        : ended === 'late'
          ? timedOut(handshakeTimeoutMs, attempt.state)
          : ended
    if (failure === null) return null
    return { category: attempt.state.phase === 'handshake' ? 'handshake' : 'connection', failure }
  } finally {
    cancel()
    aborted.forget()
  }
}

const nothingPresented = ({ state }: Attempt): Problem => ({
  category: 'handshake',
  failure: describeFailure(Object.assign(new Error(), { code: 'NO_CERTIFICATE' }), {
    ...state,
    phase: 'handshake',
  }),
})

const wrongName = 'ERR_TLS_CERT_ALTNAME_INVALID'

const responseOf = (
  { request }: SslSpec,
  { socket, state, stapled = null }: Attempt,
  now: number,
): SslResponse | null => {
  if (socket === null || !('getPeerX509Certificate' in socket)) return null
  const secure = socket as TLSSocket
  const presented = presentedChain(secure, now)
  if (presented === null) return null
  const { certificate, chain, legacy } = presented
  const reason = secure.authorizationError ? String(codeOf(secure.authorizationError)) : null
  const nameError = nameProblem(request.serverName, legacy)
  const chainError = reason === wrongName ? null : reason
  const seen = {
    resolvedIp: state.address,
    tlsVersion: (secure.getProtocol() ?? 'unknown').replace('v', '').replace(/^TLS1$/, 'TLS1.0'),
    cipherSuite: secure.getCipher()?.standardName ?? 'unknown',
    chainTrusted: chainError === null,
    chainError,
    hostnameVerified: nameError === null,
    nameError,
    ocspStapled: stapled !== null,
    ocspStatus: stapled === null ? null : ocspStatusOf(stapled, certificate.serialNumber),
    certificate,
    chain,
  }
  return { ...seen, securityBaseline: judgeBaseline(request.securityBaseline, seen) }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : error)

/** The first thing that is wrong with what was presented, or null. */
const problemOf = (
  { request: { skipChainValidation } }: SslSpec,
  { state }: Attempt,
  response: SslResponse,
): Problem | null => {
  const { certificate, chainError, nameError, ocspStatus, securityBaseline } = response
  const refused = (category: Category, code: string): Problem => ({
    category,
    failure: describeFailure(Object.assign(new Error(code), { code }), { ...state, phase: 'handshake' }),
  })
  if (certificate.daysUntilExpiry < 0 || chainError === 'CERT_HAS_EXPIRED')
    return refused('expired', 'CERT_HAS_EXPIRED')
  if (ocspStatus === 'revoked') return refused('revoked', 'CERT_REVOKED')
  if (chainError !== null && !skipChainValidation) return refused('chain', chainError)
  if (nameError !== null && !skipChainValidation) return refused('hostname', wrongName)
  const broken = securityBaseline === null ? [] : brokenRules(securityBaseline)
  if (broken.length === 0) return null
  const words = broken.map(({ rule, expected, actual }) => `${rule}: ${actual}, expected ${expected}`)
  const message = `The security baseline is not met by ${state.host}:${state.port}: ${words.join('; ')}`
  return { category: 'baseline', failure: { code: 'SECURITY_BASELINE', message, network: false } }
}

const phasesOf = (
  { started, lookup, connect, secureConnect }: Moments,
  endedAt: number,
): SslCheckResult['timingPhases'] => ({
  dns: between(started, lookup),
  tcp: between(lookup, connect),
  tls: between(connect, secureConnect),
  total: between(started, secureConnect ?? endedAt),
})

const between = (start: number | null, end: number | null): number | null =>
  start === null || end === null ? null : Math.round(Math.max(0, end - start) * 100) / 100

type Parts = {
  problem: Problem | null
  response: SslResponse | null
  timingPhases: SslCheckResult['timingPhases']
  responseTime: number
  assertions: AssertionOutcome[]
}

const observed = (spec: SslSpec, parts: Parts): Observation => {
  const { problem, response, timingPhases, responseTime, assertions } = parts
  const isWanted = spec.shouldFail && problem !== null && problem.category !== 'connection'
  const failure = isWanted ? null : (problem?.failure ?? null)
  return {
    responseTime,
    failure,
    assertions,
    degraded: failure === null && response !== null && isDegraded(spec, response),
    metrics: metricsOf(timingPhases, response),
    detail: detailOf(spec, parts),
  }
}

const isDegraded = ({ request }: SslSpec, { certificate, securityBaseline }: SslResponse): boolean =>
  certificate.daysUntilExpiry < request.alertDaysBeforeExpiry || securityBaseline?.verdict === 'warn'

const metricsOf = (
  phases: SslCheckResult['timingPhases'],
  response: SslResponse | null,
): Record<string, number> => ({
  ...Object.fromEntries(
    Object.entries(phases).filter((phase): phase is [string, number] => phase[1] !== null),
  ),
  ...(response === null
    ? {}
    : {
        keySizeBits: response.certificate.keySizeBits,
        tlsVersion: Number(response.tlsVersion.slice(3)) || 0,
        chainTrusted: Number(response.chainTrusted),
        hostnameVerified: Number(response.hostnameVerified),
        ocspStapled: Number(response.ocspStapled),
      }),
})

const detailOf = ({ request }: SslSpec, { problem, response, ...parts }: Parts): SslCheckResult => ({
  assertions: parts.assertions,
  request: {
    hostname: request.hostname,
    port: request.port,
    serverName: request.serverName,
    ipFamily: request.ipFamily,
  },
  tlsVersion: response?.tlsVersion ?? null,
  cipherSuite: response?.cipherSuite ?? null,
  daysUntilExpiry: response?.certificate.daysUntilExpiry ?? null,
  handshakeTimeMs: parts.timingPhases.tls,
  chainTrusted: response?.chainTrusted ?? null,
  hostnameVerified: response?.hostnameVerified ?? null,
  baselineVerdict: response?.securityBaseline?.verdict ?? null,
  baselineGrade: response?.securityBaseline?.grade ?? null,
  failureCategory: problem?.category ?? null,
  timingPhases: parts.timingPhases,
  response,
  requestError: problem?.failure.message ?? null,
})
