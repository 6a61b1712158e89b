/**
 * The agent's door to the world. Everything that reads a clock, draws a random value, opens a connection or asks a
 * name server gets it from an `Io`; `realIo` is the only place that builds one for production.
 *
 * Instants of `clock.now` are epoch milliseconds on the machine's clock; `clock.monotonic` is milliseconds since an
 * arbitrary start, never goes back and is what durations are measured with.
 *
 * Invariant: a check reaches out only through `connect`, `secure`, `openPing` or `datagrams`, after `egress` allowed the
 * address. Name servers of this machine are the operator's own choice and need no such permission.
 */

import { randomInt, randomUUID } from 'node:crypto'
import dgram from 'node:dgram'
import { getServers, Resolver, lookup as systemLookup } from 'node:dns/promises'
import net from 'node:net'
import os from 'node:os'
import tls from 'node:tls'
import type { Logger } from 'pino'
import type { CertificateFacts } from '../protocol/checks/http-result.ts'
import type { RuntimeId } from '../protocol/runtime.ts'
import { createBrokers } from './broker/broker.ts'
import { dnsPort, parseNameServer } from './dns/name-servers.ts'
import { createCertificateReader } from './net/connect/certificate.ts'
import { createEgress, type Egress } from './net/connect/egress.ts'
import { directly, type Route } from './net/connect/egress-route.ts'
import { createRoutes, type Routes } from './net/connect/egress-routes.ts'
import { type Lookup, shareLookups } from './net/connect/lookup.ts'
import { tellOtherFamily } from './net/connect/lookup-fallback.ts'
import { keyExchangeGroups, trusted } from './net/connect/trusted.ts'
import { type Capture, createCapture, noCapture } from './net/evidence/capture/capture.ts'
import { createRing } from './net/evidence/capture/ring.ts'
import { createTcpFacts, type ReadTcpFacts } from './net/evidence/tcp-facts.ts'
import { createTracer, type Tracer, traceBudgetMs } from './net/evidence/traceroute/tracer.ts'
import { traceroute } from './net/evidence/traceroute/traceroute.ts'
import { createLargeBodies, type LargeBodies } from './net/http/download-throttle.ts'
import { type Libc, loadLibc } from './net/ping/libc.ts'
import { createOpenPing, type OpenPing } from './net/ping/ping-socket.ts'
import { findRuntimes, ownRuntimes } from './sandbox/runtimes.ts'
import { createSandbox, type Host, type RunScript } from './sandbox/sandbox.ts'

export type Clock = {
  now(): number
  monotonic(): number
  /** Calls `act` once after `delayMs`; the returned function cancels it. */
  at(delayMs: number, act: () => void): () => void
  /** Resolves after `delayMs`, or at once when the signal aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

export type Io = {
  clock: Clock
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
  largeBodies: LargeBodies
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
  routes: Routes
  /** How connections of checks leave. Each run has an `Io` with its own. */
  route: Route
  /** Runs code of users in a process of its own. */
  runScript: RunScript
  /** The runtimes whose scripts it takes. */
  runtimeIds: readonly RuntimeId[]
  /** How busy this process was since the last call: 0 idle, 1 without a pause. */
  busy(): number
  /** Whether any interface beside the loopback has an IPv6 address. */
  hasIpv6(): boolean
}

export type IoOptions = {
  log: Log
  dnsServers: readonly string[]
  extraCaCerts: string | null
  blockedNetworks: readonly string[]
  allowedNetworks: readonly string[]
  capture: boolean
  scriptConcurrency: number
  /** A folder of runtimes other than our own. */
  runtimesFolder?: string
  host: Host
}

const longestTimeoutMs = 2 ** 31 - 1

export const realClock = (): Clock => {
  const at = (delayMs: number, act: () => void): (() => void) => {
    const timer = setTimeout(act, Math.min(longestTimeoutMs, Math.max(0, delayMs)))
    return () => clearTimeout(timer)
  }
  return { now: Date.now, monotonic: () => performance.now(), at, sleep: sleepWith(at) }
}

/** `sleep` in terms of `at`, so that a clock for tests is one function. */
export const sleepWith =
  (at: Clock['at']): Clock['sleep'] =>
  (delayMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve()
      const wake = (): void => {
        cancel()
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const cancel = at(delayMs, wake)
      signal?.addEventListener('abort', wake)
    })

export const realIo = (options: IoOptions): Io => ({
  clock: realClock(),
  log: options.log,
  newId: randomUUID,
  random: Math.random,
  unguessable: (limit) => randomInt(limit),
  lookup: shareLookups(
    tellOtherFamily(
      options.dnsServers.length > 0 ? networkLookup(options.dnsServers) : machineLookup,
      realClock(),
    ),
  ),
  nameServers: () => (options.dnsServers.length > 0 ? options.dnsServers : getServers()),
  datagrams,
  connect: (connection) => net.connect(connection),
  readBuffer: Buffer.allocUnsafeSlow(64 * 1024),
  largeBodies: createLargeBodies(realClock()),
  secure: (connection) => tls.connect(connection),
  ...networkTools(options),
  trust: tls.createSecureContext({
    ecdhCurve: keyExchangeGroups,
    ...(options.extraCaCerts === null ? {} : { ca: trusted(options.extraCaCerts) }),
  }),
  certificateFacts: createCertificateReader(),
  egress: createEgress(options),
  routes: createRoutes(options.extraCaCerts),
  route: directly,
  ...scripts(options),
  busy: createBusyMeter(),
  hasIpv6: () =>
    Object.values(os.networkInterfaces()).some((addresses) =>
      addresses?.some(({ family, internal }) => family === 'IPv6' && !internal),
    ),
})

const datagrams = (type: dgram.SocketType): dgram.Socket => dgram.createSocket(type)

const scripts = (options: IoOptions): Pick<Io, 'runScript' | 'runtimeIds'> => {
  const runtimes = findRuntimes(options.runtimesFolder ?? ownRuntimes)
  return {
    runScript: createSandbox({ ...options, runtimes, clock: realClock(), openBroker: createBrokers() }),
    runtimeIds: runtimes.map(({ id }) => id),
  }
}

/** What needs calls that Node has no door to, which are loaded when the first of them is needed; and packet captures. */
const networkTools = ({
  log,
  capture,
  dnsServers,
}: IoOptions): Pick<Io, 'openPing' | 'capture' | 'trace' | 'tcpFacts'> => {
  let loading: Promise<Libc> | null = null
  const libc = (): Promise<Libc> => {
    loading ??= loadLibc()
    return loading
  }
  const clock = realClock()
  const dnsPorts = new Set([dnsPort, ...dnsServers.map((server) => parseNameServer(server).port)])
  const ring = { log, clock, random: Math.random, newId: randomUUID, datagrams, dnsPorts }
  return {
    openPing: createOpenPing(libc),
    capture: capture ? createCapture({ ring: createRing(ring), clock, log, dnsPorts }) : noCapture,
    trace: createTracer(
      async (target) => traceroute(target, { libc: await libc(), clock, budgetMs: traceBudgetMs }),
      clock,
    ),
    tcpFacts: createTcpFacts(libc),
  }
}

const createBusyMeter = (): (() => number) => {
  let since = performance.eventLoopUtilization()
  return () => {
    const { utilization } = performance.eventLoopUtilization(since)
    since = performance.eventLoopUtilization()
    return utilization
  }
}

const machineLookup: Lookup = async (host, family) =>
  (await systemLookup(host, { family, all: true })).map(({ address }) => ({ address, family }))

const networkLookup = (servers: readonly string[]): Lookup => {
  const resolver = new Resolver({ timeout: 5000, tries: 2 })
  resolver.setServers(servers)
  return async (host, family) => {
    const addresses = await (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host))
    return addresses.map((address) => ({ address, family }))
  }
}
