import type { Failure } from '../../../protocol/result.ts'
import { isMetadataAddress } from './egress.ts'
import { hostAndPort } from './host-and-port.ts'
import { type Family, OnlyOtherFamily } from './lookup.ts'

/**
 * Where a request was on its way when it failed. `address` is null until the name is resolved, and where a proxy resolves
 * it. `isProxy`: this is the location's proxy, and not the target; `via`: the proxy through which the target is reached.
 */
export type Place = {
  host: string
  address: string | null
  port: number
  elapsedMs: number
  phase: Phase
  isProxy?: boolean
  via?: string
}

/** `tunnel`: a proxy has been asked for a connection to the target. */
export type Phase = 'lookup' | 'connect' | 'tunnel' | 'handshake' | 'answer' | 'download'

/**
 * Errors that speak about this machine and not about the target: too many open files, no memory, no free port.
 * They must never become somebody's outage.
 */
const machineErrors = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])

export const isMachineError = (error: Error): boolean => machineErrors.has(codeOf(error))

/** The machine has no way to speak IPv6 (or no local address left for it). */
export const isFamilyOff = (error: Error): boolean =>
  ['EADDRNOTAVAIL', 'ENETUNREACH', 'EAFNOSUPPORT'].includes(codeOf(error))

export const codeOf = (error: Error): string => {
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && code !== '' ? code : 'UNKNOWN'
}

/** A failure below or at the protocol, as one sentence with host, address, port and time. */
export const describeFailure = (error: Error, place: Place): Failure =>
  blamed(describeOf(error, place), place)

/** Codes of failures that are the proxy's begin with PROXY_. */
const blamed = (failure: Failure, { isProxy, phase }: Place): Failure => {
  if (phase === 'tunnel') return { ...failure, code: `PROXY_${failure.code}` }
  if (isProxy !== true) return failure
  const message = `The proxy of this location cannot be used: ${failure.message}`
  return { ...failure, code: `PROXY_${failure.code}`, message }
}

const describeOf = (error: Error, place: Place): Failure => {
  if (error instanceof OnlyOtherFamily)
    return { code: error.code, message: otherFamilySentence(error.family, place), network: true }
  const code = codeOf(error).replace(/^ENODATA$/, 'ENOTFOUND')
  const words = sentences[code]
  if (words !== undefined) return { code, message: words(place), network: true }
  if (place.phase === 'handshake') return { code, message: tlsSentence(code, error, place), network: true }
  return { code, message: `${subject(place)} failed with ${code}${after(place)}`, network: true }
}

export const timedOut = (timeoutMs: number, place: Place): Failure =>
  blamed(
    {
      code: 'TIMEOUT',
      message: `${doing[place.phase](place)} when the limit of ${inSeconds(timeoutMs)} was over`,
      network: true,
    },
    place,
  )

export const refusedByPolicy = (place: Place): Failure =>
  blamed(
    {
      code: 'BLOCKED_BY_POLICY',
      message: `${endpoint(place)} may not be reached: ${policyOn(place.address ?? '')}`,
      network: false,
    },
    place,
  )

/** Why the policy refuses an address. */
export const policyOn = (address: string): string =>
  isMetadataAddress(address)
    ? "it belongs to the metadata service of the agent's machine, and ALLOWED_NETWORKS does not name it"
    : "the agent's BLOCKED_NETWORKS and ALLOWED_NETWORKS forbid it"

const endpoint = ({ host, address, port, via }: Place): string => {
  const at = hostAndPort(host, port)
  const named = address === null || address === host ? at : `${at} (${address})`
  return via === undefined ? named : `${named} through the proxy ${via}`
}

const subject = (place: Place): string =>
  ({
    lookup: `The lookup of ${place.host}`,
    connect: `The connection to ${endpoint(place)}`,
    tunnel: `The request for a connection to ${endpoint(place)}`,
    handshake: `The TLS handshake with ${endpoint(place)}`,
    answer: `The request to ${endpoint(place)}`,
    download: `The download from ${endpoint(place)}`,
  })[place.phase]

const after = ({ elapsedMs }: Place): string => ` after ${inMilliseconds(elapsedMs)}`

const doing: Record<Phase, (place: Place) => string> = {
  lookup: ({ host }) => `The address of ${host} was still being looked up`,
  connect: (place) => `${endpoint(place)} had not accepted the connection`,
  tunnel: ({ host, port, via }) => `The proxy ${via} had not connected to ${hostAndPort(host, port)}`,
  handshake: (place) => `The TLS handshake with ${endpoint(place)} was not finished`,
  answer: (place) => `${endpoint(place)} had not answered`,
  download: (place) => `${endpoint(place)} was still sending its answer`,
}

const sentences: Record<string, (place: Place) => string> = {
  ENOTFOUND: ({ host }) => `The name ${host} does not exist or has no address`,
  EAI_AGAIN: (place) => `The name server did not answer for ${place.host}${after(place)}`,
  ETIMEOUT: (place) => `The name server did not answer for ${place.host}${after(place)}`,
  ESERVFAIL: ({ host }) => `The name server failed to resolve ${host}`,
  ECONNREFUSED: (place) =>
    place.phase === 'lookup'
      ? `The name server refused the question for ${place.host}`
      : `${endpoint(place)} refused the connection${after(place)}`,
  ECONNRESET: (place) =>
    place.phase === 'tunnel'
      ? `The proxy ${place.via} closed the connection instead of opening one to ${hostAndPort(place.host, place.port)}${after(place)}`
      : place.phase === 'handshake'
        ? `${endpoint(place)} closed the connection during the TLS handshake${after(place)}`
        : `${endpoint(place)} closed the connection ${place.phase === 'download' ? 'in the middle of its answer' : 'without an answer'}${after(place)}`,
  EPIPE: (place) => `${endpoint(place)} closed the connection without an answer${after(place)}`,
  ETIMEDOUT: (place) => `${endpoint(place)} did not answer the connection${after(place)}`,
  EHOSTUNREACH: (place) => `There is no route to ${endpoint(place)}`,
  ENETUNREACH: (place) => `The network of ${endpoint(place)} cannot be reached`,
  EADDRNOTAVAIL: (place) => `This machine has no address from which ${endpoint(place)} can be reached`,
  CERT_HAS_EXPIRED: (place) => `The certificate of ${endpoint(place)} has expired`,
  CERT_NOT_YET_VALID: (place) => `The certificate of ${endpoint(place)} is not valid yet`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (place) => `The certificate of ${endpoint(place)} is self-signed`,
  SELF_SIGNED_CERT_IN_CHAIN: (place) =>
    `The certificate chain of ${endpoint(place)} ends in a self-signed certificate that is not trusted`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (place) =>
    `The issuer of the certificate of ${endpoint(place)} is not trusted, or its chain is incomplete`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (place) =>
    `The issuer of the certificate of ${endpoint(place)} is not trusted`,
  ERR_TLS_CERT_ALTNAME_INVALID: (place) =>
    `The certificate of ${endpoint(place)} is for another name than ${place.host}`,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: (place) =>
    `${endpoint(place)} asks for a client certificate, and none was presented`,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: (place) =>
    `${endpoint(place)} does not trust the issuer of the client certificate`,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: (place) => `${endpoint(place)} refused the client certificate`,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: (place) =>
    `${endpoint(place)} refused the client certificate: it has expired`,
}

const otherFamilySentence = (has: Family, { host }: Place): string =>
  has === 4
    ? `The name ${host} has no IPv6 address (AAAA record), only an IPv4 address (A record)`
    : `The name ${host} has no IPv4 address (A record), only an IPv6 address (AAAA record)`

const tlsSentence = (code: string, error: Error, place: Place): string => {
  const { reason } = error as Error & { reason?: unknown }
  return `The TLS handshake with ${endpoint(place)} failed: ${typeof reason === 'string' ? reason : code}`
}

const inSeconds = (milliseconds: number): string => `${Number((milliseconds / 1000).toFixed(1))} s`
const inMilliseconds = (milliseconds: number): string => `${Math.round(milliseconds)} ms`
