import type { Failure } from '../../../protocol/result.ts'
import type { Io } from '../io.ts'
import { type Attempt, connect, secureOver, type Target } from './connection.ts'
import { describeFailure, isMachineError, refusedByPolicy } from './failures.ts'
import { knownAddress } from './known-address.ts'
import { type ProxyServer, proxyName } from './proxy-server.ts'
import { openTunnel } from './tunnel.ts'

/**
 * Opens a connection on which the target can be spoken to: its own, or one through the proxy of the run's route. With a
 * proxy, `moments.lookup` is when the proxy's name was resolved, and `moments.connect` when the context to the target stood.
 * An http target is asked for on the connection to the proxy itself; all others get a tunnel.
 */
export const connectOrTunnel = (target: Target, attempt: Attempt, io: Io): Promise<Failure | null> =>
  io.egressRoute.proxy === null
    ? connect(target, attempt, io)
    : connectThroughProxy(io.egressRoute.proxy, { target, attempt, io })

type ConnectContext = { target: Target; attempt: Attempt; io: Io }

const connectThroughProxy = async (
  proxy: ProxyServer,
  { target, attempt, io }: ConnectContext,
): Promise<Failure | null> => {
  const { state, moments } = attempt
  const { host, port } = state
  // The proxy resolves names, and it is the proxy that decides where they may lead.
  const known = knownAddress(host)
  if (known !== null && !io.egress.allows(known)) return refusedByPolicy({ ...state, address: known })
  const failure = await connectToProxy(proxy, attempt, io)
  if (failure !== null) return failure
  moments.secureConnect = null
  Object.assign(state, { host, port, address: null, isProxy: false, via: proxyName(proxy), phase: 'answer' })
  const { socket } = attempt
  if (target.url.protocol === 'http:' || socket === null) return null
  state.phase = 'tunnel'
  const refused = await openTunnel(socket, { host, port, proxy })
  if (attempt.over) return null
  if (refused !== null && !(refused instanceof Error)) return refused
  if (refused === null) moments.connect = io.clock.monotonic()
  const secure = target.url.protocol === 'https:'
  const error = refused ?? (secure ? await secureOver(socket, { target, attempt, io }) : null)
  if (error === null) {
    state.phase = 'answer'
    return null
  }
  if (isMachineError(error)) throw error
  state.elapsedMs = io.clock.monotonic() - moments.started
  return describeFailure(error, state)
}

/** Which family the proxy is reached over says nothing about the target: IPv4 first, as for name servers. */
const connectToProxy = async (
  { protocol, host, port }: ProxyServer,
  attempt: Attempt,
  io: Io,
): Promise<Failure | null> => {
  Object.assign(attempt.state, { host, port, address: null, isProxy: true })
  const target = { url: { protocol }, skipTls: false }
  const failure = await connect({ ...target, ipFamily: 'IPv4' }, attempt, io)
  const hasNoIpv4 = failure?.code === 'PROXY_ENOTFOUND'
  return hasNoIpv4 && !attempt.over ? connect({ ...target, ipFamily: 'IPv6' }, attempt, io) : failure
}
