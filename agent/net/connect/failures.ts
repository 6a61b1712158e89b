import type { Failure } from '../../../protocol/result.ts'
import { isMetadataAddress } from './egress.ts'
import { type Family, OnlyOtherFamily } from './lookup.ts'

/**
 * Where a request was on its way when it failed. `address` is null until the name is resolved, and where a proxy resolves
 * it. `isProxy`: this is the location's proxy, and not the target; `via`: the proxy through which the target is reached.
 */
export type ConnectionState = {
  host: string
  address: string | null
  port: number
  elapsedMs: number
  phase: Phase
  isProxy?: boolean
  via?: string
}

/** `tunnel`: a proxy has been asked for a connection to the target. */
type Phase = 'lookup' | 'connect' | 'tunnel' | 'handshake' | 'answer' | 'download'

/**
 * Errors that speak about this machine and not about the target: too many open files, no memory, no free port.
 * They must never be reported as an outage of a target.
 */
const machineErrors = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])

export const isMachineError = (error: Error): boolean => machineErrors.has(codeOf(error))

/** The machine has no way to speak IPv6 (or no local address left for it). */
export const isFamilyOff = (error: Error): boolean =>
  ['EADDRNOTAVAIL', 'ENETUNREACH', 'EAFNOSUPPORT'].includes(codeOf(error))

/** The system's or OpenSSL's name of an error, `UNKNOWN` if it has none. */
export const codeOf = (error: Error): string => {
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && code !== '' ? code : 'UNKNOWN'
}

/** A failure below or at the protocol, as one sentence with host, address, port and time. */
export const describeFailure = (error: Error, state: ConnectionState): Failure =>
  blamed(describeOf(error, state), state)

/** Codes of failures that are the proxy's begin with PROXY_. */
const blamed = (failure: Failure, { isProxy, phase }: ConnectionState): Failure => {
  if (phase === 'tunnel') return { ...failure, code: `PROXY_${failure.code}` }
  if (isProxy !== true) return failure
  const message = `The proxy of this location cannot be used: ${failure.message}`
  return { ...failure, code: `PROXY_${failure.code}`, message }
}

const describeOf = (error: Error, state: ConnectionState): Failure => {
  if (error instanceof OnlyOtherFamily)
    return { code: error.code, message: otherFamilySentence(error.family, state), network: true }
  const code = codeOf(error).replace(/^ENODATA$/, 'ENOTFOUND')
  const words = sentences[code]
  if (words !== undefined) return { code, message: words(state), network: true }
  if (state.phase === 'handshake') return { code, message: tlsSentence(code, error, state), network: true }
  return { code, message: `${subject(state)} failed with ${code}${after(state)}`, network: true }
}

/** The failure of a request whose time was up in that state. */
export const timedOut = (timeoutMs: number, state: ConnectionState): Failure =>
  blamed(
    {
      code: 'TIMEOUT',
      message: `${doing[state.phase](state)} when the limit of ${inSeconds(timeoutMs)} was over`,
      network: true,
    },
    state,
  )

/**
 * Whether no name server answered, of codes that are also those of targets. A refusal is what the resolver says where it could not
 * send its question.
 */
export const isSilentLookup = ({ code, message }: Failure): boolean =>
  (code === 'TIMEOUT' && message.startsWith(lookingUp)) ||
  (code === 'ECONNREFUSED' && message.startsWith(questionRefused))

/** The failure of a request to an address that the policy on networks refuses. */
export const refusedByPolicy = (state: ConnectionState): Failure =>
  blamed(
    {
      code: 'BLOCKED_BY_POLICY',
      message: `${endpoint(state)} may not be reached: ${policyOn(state.address ?? '')}`,
      network: false,
    },
    state,
  )

/** Why the policy refuses an address. */
export const policyOn = (address: string): string =>
  isMetadataAddress(address)
    ? "it belongs to the metadata service of the agent's machine, and ALLOWED_NETWORKS does not name it"
    : "the agent's BLOCKED_NETWORKS and ALLOWED_NETWORKS forbid it"

const endpoint = ({ host, address, port, via }: ConnectionState): string => {
  const at = hostAndPort(host, port)
  const named = address === null || address === host ? at : `${at} (${address})`
  return via === undefined ? named : `${named} through the proxy ${via}`
}

const subject = (state: ConnectionState): string =>
  ({
    lookup: `The lookup of ${state.host}`,
    connect: `The connection to ${endpoint(state)}`,
    tunnel: `The request for a connection to ${endpoint(state)}`,
    handshake: `The TLS handshake with ${endpoint(state)}`,
    answer: `The request to ${endpoint(state)}`,
    download: `The download from ${endpoint(state)}`,
  })[state.phase]

const after = ({ elapsedMs }: ConnectionState): string => ` after ${inMilliseconds(elapsedMs)}`

const lookingUp = 'The address of '
const questionRefused = 'The name server refused the question for '

const doing: Record<Phase, (state: ConnectionState) => string> = {
  lookup: ({ host }) => `${lookingUp}${host} was still being looked up`,
  connect: (state) => `${endpoint(state)} had not accepted the connection`,
  tunnel: ({ host, port, via }) => `The proxy ${via} had not connected to ${hostAndPort(host, port)}`,
  handshake: (state) => `The TLS handshake with ${endpoint(state)} was not finished`,
  answer: (state) => `${endpoint(state)} had not answered`,
  download: (state) => `${endpoint(state)} was still sending its answer`,
}

const sentences: Record<string, (state: ConnectionState) => string> = {
  ENOTFOUND: ({ host }) => `The name ${host} does not exist or has no address`,
  EAI_AGAIN: (state) => `The name server did not answer for ${state.host}${after(state)}`,
  ETIMEOUT: (state) => `The name server did not answer for ${state.host}${after(state)}`,
  ESERVFAIL: ({ host }) => `The name server answered SERVFAIL for ${host}: it failed to resolve the name`,
  EREFUSED: ({ host }) => `The name server answered REFUSED for ${host}`,
  ECONNREFUSED: (state) =>
    state.phase === 'lookup'
      ? `${questionRefused}${state.host}`
      : `${endpoint(state)} refused the connection${after(state)}`,
  ECONNRESET: (state) =>
    state.phase === 'tunnel'
      ? `The proxy ${state.via} closed the connection instead of opening one to ${hostAndPort(state.host, state.port)}${after(state)}`
      : state.phase === 'handshake'
        ? `${endpoint(state)} closed the connection during the TLS handshake${after(state)}`
        : `${endpoint(state)} closed the connection ${state.phase === 'download' ? 'in the middle of its answer' : 'without an answer'}${after(state)}`,
  EPIPE: (state) => `${endpoint(state)} closed the connection without an answer${after(state)}`,
  ETIMEDOUT: (state) => `${endpoint(state)} did not answer the connection${after(state)}`,
  EHOSTUNREACH: (state) =>
    `There is no route to ${endpoint(state)}, or a firewall on the way says that it is administratively prohibited`,
  ENETUNREACH: (state) => `The network of ${endpoint(state)} cannot be reached`,
  EACCES: (state) =>
    `${endpoint(state)} is administratively prohibited, by a route of this machine or a firewall on the way`,
  EPERM: (state) => `The firewall of this machine refuses to send to ${endpoint(state)}`,
  EADDRNOTAVAIL: (state) => `This machine has no address from which ${endpoint(state)} can be reached`,
  CERT_HAS_EXPIRED: (state) => `The certificate of ${endpoint(state)} has expired`,
  CERT_NOT_YET_VALID: (state) => `The certificate of ${endpoint(state)} is not valid yet`,
  CERT_REVOKED: (state) =>
    `The certificate of ${endpoint(state)} is revoked, as the answer of its authority says that it sends along (OCSP)`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (state) => `The certificate of ${endpoint(state)} is self-signed`,
  SELF_SIGNED_CERT_IN_CHAIN: (state) =>
    `The certificate chain of ${endpoint(state)} ends in a self-signed certificate that is not trusted`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (state) =>
    `The issuer of the certificate of ${endpoint(state)} is not trusted, or its chain is incomplete`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (state) =>
    `The issuer of the certificate of ${endpoint(state)} is not trusted`,
  ERR_TLS_CERT_ALTNAME_INVALID: (state) =>
    `The certificate of ${endpoint(state)} is for another name than ${state.host}`,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: (state) =>
    `${endpoint(state)} does not speak HTTP/1.1, with which this check asks: servers that say so speak only HTTP/2`,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: (state) =>
    `${endpoint(state)} asks for a client certificate, and none was presented`,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: (state) =>
    `${endpoint(state)} does not trust the issuer of the client certificate`,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: (state) => `${endpoint(state)} refused the client certificate`,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: (state) =>
    `${endpoint(state)} refused the client certificate: it has expired`,
}

const otherFamilySentence = (has: Family, { host }: ConnectionState): string =>
  has === 4
    ? `The name ${host} has no IPv6 address (AAAA record), only an IPv4 address (A record)`
    : `The name ${host} has no IPv4 address (A record), only an IPv6 address (AAAA record)`

const tlsSentence = (code: string, error: Error, state: ConnectionState): string => {
  const { reason } = error as Error & { reason?: unknown }
  return `The TLS handshake with ${endpoint(state)} failed: ${typeof reason === 'string' ? reason : code}`
}

const inSeconds = (milliseconds: number): string => `${Number((milliseconds / 1000).toFixed(1))} s`
const inMilliseconds = (milliseconds: number): string => `${Math.round(milliseconds)} ms`

/** `example.com:80`; an IPv6 address in brackets, as RFC 3986, section 3.2.2 has it. */
export const hostAndPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
