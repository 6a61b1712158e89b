/**
 * What the agent reaches the world by. Everything that reads a clock, draws a random value, opens a connection or asks a name
 * server gets it from an `Io`. This file is its type alone: `program/real-io.ts` builds the one of a running program. What
 * only some need (a browser, a model, packet captures) they ask for by name, in a type of their own room.
 *
 * Instants of `clock.now` are epoch milliseconds on the machine's clock. `clock.monotonic` is milliseconds since an
 * arbitrary start: it never goes back, and durations are measured with it.
 *
 * Invariant: a check reaches out only through `connect`, `secure`, `datagrams` or the sockets of `net/ping`, after `egress` allowed the
 * address. Name servers of this machine are the operator's own choice and need no such permission.
 */
import type dgram from 'node:dgram'
import type net from 'node:net'
import type tls from 'node:tls'
import type { Logger } from 'pino'
import type { CertificateFacts } from '../../protocol/checks/http-result.ts'
import type { TimerClock } from '../../protocol/clock.ts'
import type { Egress } from './connect/egress.ts'
import type { EgressRoute } from './connect/egress-route.ts'
import type { Lookup } from './connect/lookup.ts'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

export type Io = {
  clock: TimerClock
  log: Log
  newId(): string
  /** A number in [0, 1). */
  random(): number
  /** An integer from 0 to below `limit` that nobody can guess. */
  unguessable(limit: number): number
  lookup: Lookup
  /** The name servers that `lookup` asks, as addresses with an optional port. */
  nameServers(): readonly string[]
  datagrams: (type: dgram.SocketType) => dgram.Socket
  connect: (options: net.TcpNetConnectOpts) => net.Socket
  secure: (options: tls.ConnectionOptions) => tls.TLSSocket
  /** All connections of HTTP checks are read into it, one read after the other. */
  readBuffer: Buffer
  /** Trusted authorities of every TLS check. One context for all: building one costs milliseconds. */
  trust: tls.SecureContext
  certificateFacts: (socket: tls.TLSSocket, now: number) => CertificateFacts | null
  egress: Egress
  /** Whether any interface beside the loopback has an IPv6 address. */
  hasIpv6(): boolean
  /** How connections of checks leave. Each run has an `Io` with its own. */
  egressRoute: EgressRoute
}
