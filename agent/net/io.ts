/**
 * The agent's door to the world. Everything that reads a clock, draws a random value, opens a connection or asks a name
 * server gets it from an `Io`. This file is its type alone: `real-io.ts` builds the one of a running program.
 *
 * Instants of `clock.now` are epoch milliseconds on the machine's clock. `clock.monotonic` is milliseconds since an
 * arbitrary start: it never goes back, and durations are measured with it.
 *
 * Invariant: a check reaches out only through `connect`, `secure`, `openPing` or `datagrams`, after `egress` allowed the
 * address. Name servers of this machine are the operator's own choice and need no such permission.
 */
import type dgram from 'node:dgram'
import type net from 'node:net'
import type tls from 'node:tls'
import type { Logger } from 'pino'
import type { CertificateFacts } from '../../protocol/checks/http-result.ts'
import type { TimerClock } from '../../protocol/clock.ts'
import type { LoopWatch } from '../../protocol/loop-watch.ts'
import type { Model } from '../agentic/model.ts'
import type { ByteAllowance } from '../base/byte-allowance.ts'
import type { Browsers } from '../browser/browsers.ts'
import type { Suites } from '../browser/suite/suites.ts'
import type { Repeats } from '../jobs/repeats.ts'
import type { JudgingPool } from '../judging/pool.ts'
import type { RouteTables } from '../own-network/route-tables.ts'
import type { offeredRuntimes } from '../sandbox/runtimes.ts'
import type { RunScript } from '../sandbox/sandbox.ts'
import type { Walls } from '../walls/walls.ts'
import type { Egress } from './connect/egress.ts'
import type { EgressRoute } from './connect/egress-route.ts'
import type { EgressRoutes } from './connect/egress-routes.ts'
import type { Lookup } from './connect/lookup.ts'
import type { Capture } from './evidence/capture/capture.ts'
import type { ReadTcpFacts } from './evidence/tcp-facts.ts'
import type { Tracer } from './evidence/traceroute/tracer.ts'
import type { DownloadThrottle } from './http/download-throttle.ts'
import type { OpenPing } from './ping/ping-socket.ts'

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
  /** All connections of HTTP checks are read into it, one read after the other. */
  readBuffer: Buffer
  downloadThrottle: DownloadThrottle
  secure: (options: tls.ConnectionOptions) => tls.TLSSocket
  openPing: OpenPing
  /** Trusted authorities of every TLS check. One context for all: building one costs milliseconds. */
  trust: tls.SecureContext
  certificateFacts: (socket: tls.TLSSocket, now: number) => CertificateFacts | null
  egress: Egress
  /** For those whose network has failed: the packets, the way to the target, and the kernel's view of a connection. */
  capture: Capture
  trace: Tracer
  tcpFacts: ReadTcpFacts
  egressRoutes: EgressRoutes
  /** How connections of checks leave. Each run has an `Io` with its own. */
  egressRoute: EgressRoute
  /** Runs code of users in a process of its own. */
  runScript: RunScript
  /** Judges what is too much for the event loop, in processes of its own. */
  judging: JudgingPool
  /** Ends the processes that wait for scripts. */
  endScripts(): Promise<void>
  /** Runs scripts of browser and multi-step checks, each in processes of its own. */
  browsers: Browsers
  /** Runs whole projects of Playwright. */
  suites: Suites
  /** Drives pages for agentic checks; null: the operator has named none. */
  model: Model | null
  /** What holds code of users, and which of it stands here. */
  walls: Walls
  /** The runtimes whose scripts it takes, as they are now. */
  offeredRuntimes(): ReturnType<typeof offeredRuntimes>
  /** For requests that are large with their variables. */
  requestMemory: ByteAllowance
  /** For how long the event loop has stood while somebody measured. */
  loopWatch: LoopWatch
  /** How many runs that passed may be measured again for their times. */
  repeats: Repeats
  /** How busy this process was since the last call: 0 idle, 1 without a pause. */
  busy(): number
  /** The kernel's routes, where it tells them. */
  readRoutes(): RouteTables
  /** Whether any interface beside the loopback has an IPv6 address. */
  hasIpv6(): boolean
}
