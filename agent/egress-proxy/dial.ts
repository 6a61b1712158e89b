import type { Server } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { Failure } from '../../protocol/result.ts'
import { connectOrTunnel } from '../net/connect/connect-or-tunnel.ts'
import type { Attempt } from '../net/connect/connection.ts'
import { codeOf, policyOn } from '../net/connect/failures.ts'
import { knownAddress } from '../net/connect/known-address.ts'
import type { Io } from '../net/io.ts'
import type { Allowance, EgressProxyLimits } from './allowance.ts'
import type { Say } from './say-once.ts'

/** What serves the clients of one run. */
export type Session = {
  io: Io
  tell: Say
  limits: EgressProxyLimits
  allowance: Allowance
  /** The ports of all egress proxies of this agent: no connection is made to one of them. */
  ports: ReadonlySet<number>
  /** Everything that is open. */
  sockets: Set<Socket>
  http: Server
}

/** `http:` is asked for on the connection to the location's proxy itself, `tcp:` gets a tunnel there. */
type Destination = { host: string; port: number; protocol: 'tcp:' | 'http:' }

/** `address`: where it leads; null where the location's proxy resolves the name. */
type Connection = { socket: Socket; address: string | null }

/** `code` is the one that a connection of Node fails with. */
export type DialError = { code: string; address: string | null; message: string; isTarget: boolean }

/** Connects as a check would. Ends early when the signal aborts, which is when its client has gone. */
export const dial = async (
  to: Destination,
  session: Session,
  signal: AbortSignal,
): Promise<Connection | DialError> => {
  const { io, limits, sockets } = session
  const attempt = attemptFor(to, io)
  const { promise: late, resolve } = Promise.withResolvers<Failure>()
  const giveUp = (): void => resolve(tooLate(to))
  const cancel = io.clock.at(limits.connectMs, giveUp)
  signal.addEventListener('abort', giveUp)
  if (signal.aborted) giveUp()
  try {
    const failure = await Promise.race([reachAny(to, attempt, session), late])
    const { socket } = attempt
    if (failure !== null || socket === null || signal.aborted) return close(attempt, failure ?? tooLate(to))
    if (leadsToEgressProxy(socket, session)) return close(attempt, refusedOwnPort(to, session))
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // The other side may have more to say when this one has said it all.
    socket.allowHalfOpen = true
    return { socket, address: attempt.state.via === undefined ? attempt.state.address : null }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    session.tell('WARN', `This agent could not open a connection: ${error.message}`)
    return close(attempt, { code: codeOf(error), message: error.message, network: false })
  } finally {
    cancel()
    signal.removeEventListener('abort', giveUp)
  }
}

const attemptFor = ({ host, port }: Destination, { clock }: Io): Attempt => ({
  state: { host, port, address: null, elapsedMs: 0, phase: 'lookup' },
  moments: { started: clock.monotonic(), lookup: null, connect: null, secureConnect: null },
  socket: null,
  readBuffer: null,
  peer: null,
  over: false,
})

const tooLate = ({ host, port }: Destination): Failure => ({
  code: 'ETIMEDOUT',
  message: `${host} did not take a connection to its port ${port} in time`,
  network: true,
})

const close = (attempt: Attempt, failure: Failure): DialError => {
  attempt.over = true
  attempt.socket?.destroy()
  return {
    code: failure.code === 'BLOCKED_BY_POLICY' ? 'EACCES' : failure.code,
    address: attempt.state.address,
    message: failure.message,
    isTarget: failure.network,
  }
}

/**
 * IPv4 first, and then whatever IPv6 the name has, as Node itself does it. Each address of IPv6 is tried as it stands, so that it is
 * judged by itself.
 */
const reachAny = async (to: Destination, attempt: Attempt, session: Session): Promise<Failure | null> => {
  const { io } = session
  const target = { url: { protocol: to.protocol }, skipTls: true }
  const known = knownAddress(to.host)
  if (known === '127.0.0.1' && session.ports.has(to.port)) return refusedOwnPort(to, session)
  const first = await connectOrTunnel({ ...target, ipFamily: 'IPv4' }, attempt, io)
  if (first === null || attempt.over) return first
  sayWhy(first, attempt, session)
  if (io.egressRoute.proxy !== null || isIP(to.host) !== 0) return first
  for (const address of await addressesOfIpv6(to.host, io)) {
    if (attempt.over) return first
    Object.assign(attempt.state, { host: address })
    const failure = await connectOrTunnel({ ...target, ipFamily: 'IPv6' }, attempt, io)
    if (failure === null) return null
    sayWhy(failure, attempt, session)
    if (first.code === 'ENOTFOUND') return failure
  }
  return first
}

const addressesOfIpv6 = async (host: string, { lookup }: Io): Promise<string[]> => {
  try {
    return (await lookup(host, 6)).slice(0, 8).map(({ address }) => address)
  } catch {
    // The failure of the first question is the one to tell.
    return []
  }
}

/** What a program that only sees a code cannot know: a rule of this agent, or its proxy. */
const sayWhy = ({ code, message }: Failure, { state }: Attempt, { tell }: Session): void => {
  const address = state.address ?? knownAddress(state.host) ?? state.host
  if (code === 'BLOCKED_BY_POLICY') tell('WARN', `${address} may not be reached: ${policyOn(address)}`)
  else if (code.startsWith('PROXY_')) tell('WARN', message)
}

/** Through another run's egress proxy a script would have that run's proxy, log and allowance. */
const leadsToEgressProxy = ({ remoteAddress = '', remotePort = 0 }: Socket, { ports }: Session): boolean =>
  /^(::ffff:)?127\./.test(remoteAddress) && ports.has(remotePort)

const refusedOwnPort = ({ host, port }: Destination, { tell }: Session): Failure => {
  const message = `${host}:${port} may not be reached: it belongs to the agent`
  tell('WARN', message)
  return { code: 'EACCES', message, network: false }
}
