import { isIP, type Socket } from 'node:net'
import type { ConnectionOptions, SecureContext, TLSSocket } from 'node:tls'
import type { Failure } from '../../../protocol/result.ts'
import type { Io } from '../io.ts'
import { secureContextFor } from './egress-route.ts'
import {
  type ConnectionState,
  codeOf,
  describeFailure,
  isFamilyOff,
  isMachineError,
  refusedByPolicy,
} from './failures.ts'
import type { Address, Family, PeerAddress } from './lookup.ts'
import { callsRevoked } from './ocsp.ts'
import type { SharedReadBuffer } from './shared-read-buffer.ts'

/** A TCP connection as this machine knows it, and as packets show it. `secure`: what is said in it is inside TLS. */
export type Flow = { localPort: number; remoteAddress: string; remotePort: number; secure: boolean }

/** Instants of the socket's own events on the monotonic clock; null when an event did not happen. */
export type Moments = {
  started: number
  lookup: number | null
  connect: number | null
  secureConnect: number | null
}

/** Whom to speak to, and how. `skipTls`: a certificate that is not trusted is taken all the same. */
export type Target = {
  url: Pick<URL, 'protocol'>
  ipFamily: 'IPv4' | 'IPv6'
  skipTls: boolean
  tls?: TlsWishes
}

/** What TLS with the target is asked for where it is not that of HTTP/1.1: its name, protocols above it, and what is trusted. */
type TlsWishes = { serverName?: string; protocols?: string[]; trust?: SecureContext }

/**
 * Filled in while the connection is made, so that a deadline can say how far it got. `over`: the exchange has ended
 * and no further connection may be opened for it.
 */
export type Attempt = {
  state: ConnectionState
  moments: Moments
  socket: Socket | null
  /** Null: the socket's `data` events tell what comes. */
  readBuffer: SharedReadBuffer | null
  /** Told of each connection that is tried. */
  onSocket?(socket: Socket): void
  /** What the server sent along of its authority (OCSP) in the last handshake; absent or null: nothing. */
  stapled?: Buffer | null
  /** Whom the last connection was meant for; null before the first. */
  peer: PeerAddress | null
  over: boolean
}

/**
 * Opens a new connection to whom `attempt.state` names, the target or a proxy: name, policy, TCP, TLS. Addresses are
 * tried in the resolver's order while they fail at once; IPv4 takes over when this machine cannot speak IPv6. The failure
 * of the last one is returned. Throws only for errors of this machine.
 */
export const connect = async (target: Target, attempt: Attempt, io: Io): Promise<Failure | null> => {
  const found = await findAddresses(target, attempt, io)
  if ('failure' in found) return found.failure
  const failure = await tryAddresses(found, { target, attempt, io })
  if (failure === null || target.ipFamily === 'IPv4' || isIP(attempt.state.host) !== 0)
    return failure?.failure ?? null
  if (!isFamilyOff(failure.error)) return failure.failure
  const fallback = await ask(4, attempt, io)
  if ('failure' in fallback) return failure.failure
  return (await tryAddresses(fallback, { target, attempt, io }))?.failure ?? null
}

type AddressList = { addresses: Address[] }
type ConnectFailure = { failure: Failure; error: Error }

const findAddresses = async (
  target: Target,
  attempt: Attempt,
  io: Io,
): Promise<AddressList | ConnectFailure> => {
  const literal = isIP(attempt.state.host)
  if (literal !== 0) {
    attempt.moments.lookup = attempt.moments.started
    return { addresses: [{ address: attempt.state.host, family: literal === 6 ? 6 : 4 }] }
  }
  if (target.ipFamily === 'IPv4') return ask(4, attempt, io)
  const found = await ask(6, attempt, io)
  return 'failure' in found && !io.hasIpv6() ? ask(4, attempt, io) : found
}

const ask = async (family: Family, attempt: Attempt, io: Io): Promise<AddressList | ConnectFailure> => {
  attempt.state.phase = 'lookup'
  try {
    const addresses = await io.lookup(attempt.state.host, family)
    attempt.moments.lookup = io.clock.monotonic()
    if (addresses.length > 0) return { addresses }
    throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
  } catch (error) {
    if (!(error instanceof Error) || isMachineError(error)) throw error
    return connectFailure(error, attempt, io)
  }
}

type ConnectContext = { target: Target; attempt: Attempt; io: Io }

const tryAddresses = async (
  { addresses }: AddressList,
  context: ConnectContext,
): Promise<ConnectFailure | null> => {
  let last: ConnectFailure | null = null
  for (const address of addresses.slice(0, 8)) {
    if (context.attempt.over) break
    context.attempt.state.address = address.address
    if (!context.io.egress.allows(address.address)) {
      last = { failure: refusedByPolicy(context.attempt.state), error: new Error('refused by policy') }
      continue
    }
    const error = await openSocket(address, context)
    if (error === null) return null
    if (isMachineError(error) || isOutOfPorts(error, address)) throw error
    last = connectFailure(error, context.attempt, context.io)
    if (context.attempt.state.phase !== 'connect') break
  }
  return last
}

/** EADDRNOTAVAIL is "no free port" for IPv4, and "IPv6 is off" for IPv6. */
export const isOutOfPorts = (error: Error, { family }: Pick<Address, 'family'>): boolean =>
  family === 4 && codeOf(error) === 'EADDRNOTAVAIL'

const connectFailure = (error: Error, { state, moments }: Attempt, { clock }: Io): ConnectFailure => {
  state.elapsedMs = clock.monotonic() - moments.started
  return { failure: describeFailure(error, state), error }
}

const openSocket = ({ address, family }: Address, context: ConnectContext): Promise<Error | null> => {
  const { target, attempt, io } = context
  const { state, moments } = attempt
  const { readBuffer } = attempt
  const to = {
    host: address,
    port: state.port,
    ...(readBuffer === null ? {} : { onread: readBuffer.onread }),
  }
  attempt.peer = { address, family, port: state.port }
  state.phase = 'connect'
  moments.connect = null
  const socket =
    target.url.protocol === 'https:'
      ? io.secure({ ...to, ...tlsOptions(context) })
      : io.connect({ ...to, noDelay: true })
  return untilReady(socket, context)
}

/** TLS with the target over a connection that stands already. */
export const secureOver = (socket: Socket, context: ConnectContext): Promise<Error | null> => {
  const { state } = context.attempt
  state.phase = 'handshake'
  const secured = context.io.secure({ socket, ...tlsOptions(context) })
  secured.once('close', () => socket.destroy())
  return untilReady(secured, context)
}

const tlsOptions = ({ target: { tls = {} }, attempt, io }: ConnectContext): ConnectionOptions => {
  const { host, isProxy } = attempt.state
  const { serverName = host, protocols = ['http/1.1'], trust = io.trust } = isProxy === true ? {} : tls
  return {
    servername: isIP(serverName) === 0 ? serverName : '',
    secureContext: isProxy === true ? trust : secureContextFor(io.egressRoute, host, trust),
    // Judged below, so that an untrusted certificate fails with its own code before anything is sent.
    rejectUnauthorized: false,
    ...(protocols.length === 0 ? {} : { ALPNProtocols: protocols }),
    // Servers that have an answer of their authority send it along.
    requestOCSP: true,
  }
}

/** Resolves with null when the connection (and its TLS) stands, or with what went wrong. */
const untilReady = (socket: Socket, { target, attempt, io }: ConnectContext): Promise<Error | null> =>
  new Promise((resolve) => {
    const { state, moments } = attempt
    const secure = 'getPeerX509Certificate' in socket
    attempt.socket = socket
    attempt.onSocket?.(socket)
    const settle = (error: Error | null): void => {
      socket.removeListener('error', settle)
      socket.removeListener('close', closed)
      if (error !== null) socket.destroy()
      // A late error of a destroyed socket must find a listener.
      socket.on('error', ignore)
      resolve(error)
    }
    const closed = (): void => settle(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    socket.once('error', settle)
    socket.once('close', closed)
    socket.once('connect', () => {
      moments.connect = io.clock.monotonic()
      state.phase = secure ? 'handshake' : 'answer'
      if (!secure) settle(null)
    })
    if (!secure) return
    attempt.stapled = null
    socket.once('OCSPResponse', (answer: Buffer | null) => {
      attempt.stapled = answer
    })
    socket.once('secureConnect', () => {
      const { authorized, authorizationError } = socket as TLSSocket
      moments.secureConnect = io.clock.monotonic()
      if (!target.skipTls && !authorized) return settle(untrusted(authorizationError))
      if (!target.skipTls && attempt.stapled && isRevoked(socket as TLSSocket, attempt.stapled))
        return settle(untrusted('CERT_REVOKED'))
      state.phase = 'answer'
      settle(null)
    })
  })

const isRevoked = (socket: TLSSocket, stapled: Buffer): boolean => {
  const certificate = socket.getPeerX509Certificate()
  return certificate !== undefined && callsRevoked(stapled, certificate.serialNumber)
}

const ignore = (): void => undefined

const untrusted = (reason: unknown): Error => {
  const code = reason instanceof Error ? codeOf(reason) : String(reason)
  return Object.assign(new Error(code), { code })
}
