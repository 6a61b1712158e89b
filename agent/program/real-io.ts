/** Composes the one `RealIo` of a running agent: the only place where real clocks, sockets and random values come from. */
import { randomInt, randomUUID } from 'node:crypto'
import dgram from 'node:dgram'
import { getServers, Resolver, lookup as systemLookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import {
  constants,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
} from 'node:perf_hooks'
import tls from 'node:tls'
import { longestDelayMs, sleepWith, type TimerClock } from '../../protocol/clock.ts'
import { createLoopWatch, type LoopWatch } from '../../protocol/loop-watch.ts'
import { noProxies } from '../../protocol/networks/proxy.ts'
import { createSemaphore } from '../../protocol/semaphore.ts'
import { createModel, type Model, type ModelSettings } from '../agentic/model.ts'
import { createBrowsers } from '../browser/browsers.ts'
import { findChromium } from '../browser/find-chromium.ts'
import { findFfmpeg } from '../browser/find-ffmpeg.ts'
import { createSuites } from '../browser/suite/suites.ts'
import { dnsPort, parseNameServer } from '../dns/name-servers.ts'
import { createEgressProxies } from '../egress-proxy/egress-proxy.ts'
import { createIsolation } from '../isolation/isolation.ts'
import { programLoader } from '../isolation/program.ts'
import type { AgentIo } from '../jobs/agent-state.ts'
import type { OwnNetworkOptions } from '../jobs/own-network.ts'
import { createRemeasureBudget } from '../jobs/remeasure-budget.ts'
import { runBudget } from '../judging/limits.ts'
import { createJudgingPool } from '../judging/pool.ts'
import { createCertificateReader, keyExchangeGroups, trustedAuthorities } from '../net/connect/certificate.ts'
import { createEgress } from '../net/connect/egress.ts'
import { directRoute } from '../net/connect/egress-route.ts'
import { createEgressRoutes } from '../net/connect/egress-routes.ts'
import { type Lookup, shareLookups } from '../net/connect/lookup.ts'
import { withLookupFallback } from '../net/connect/lookup-fallback.ts'
import { type Capture, createCapture, noCapture } from '../net/evidence/capture/capture.ts'
import { createRing } from '../net/evidence/capture/ring.ts'
import { createTcpFacts } from '../net/evidence/tcp-facts.ts'
import { createTracer, traceBudgetMs } from '../net/evidence/traceroute/tracer.ts'
import { traceroute } from '../net/evidence/traceroute/traceroute.ts'
import { createDownloadThrottle } from '../net/http/download-throttle.ts'
import type { Log } from '../net/io.ts'
import { type Libc, loadLibc } from '../net/ping/libc.ts'
import { createOpenPing } from '../net/ping/ping-socket.ts'
import { findRuntimes, offeredRuntimes, ownRuntimes } from '../sandbox/runtimes.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import type { Host } from '../sandbox/sandbox-options.ts'
import type { Config } from './config.ts'
import { createDispatcher } from './dispatcher.ts'
import { namesBy, routeTracer } from './route-tools.ts'

export type IoOptions = {
  log: Log
  dnsServers: readonly string[]
  extraCaCerts: string | null
  blockedNetworks: readonly string[]
  allowedNetworks: readonly string[]
  capture: boolean
  scriptConcurrency: number
  /** Processes that may wait for scripts of browser checks. */
  preparedBrowsers: number
  browsersFolder: string
  /** What suites keep from run to run; absent: nothing. */
  suiteCache?: { folder: string; maxBytes: number }
  scriptIsolation: 'required' | 'best'
  /** Of agentic checks; null or absent: they do not run here. */
  llm?: ModelSettings | null
  /** Of the operator, for what is no check's traffic. */
  proxy?: Config['proxy']
  /** A folder of runtimes other than our own. */
  runtimesFolder?: string
  host: Host
  /** Of the program of `host`: "24.1.0". */
  nodeVersion: string
}

/** All that a running agent uses of the world. */
export type RealIo = AgentIo &
  OwnNetworkOptions['io'] & {
    capture: Capture
    loopWatch: LoopWatch
    /** Ends the processes that wait for scripts. */
    endScripts(): Promise<void>
  }

/** The clocks and timers of this machine. Delays are cut to what a timer can hold, which is 24 days. */
export const realClock = (): TimerClock => {
  const at = (delayMs: number, act: () => void): (() => void) => {
    const timer = setTimeout(act, Math.min(longestDelayMs, Math.max(0, delayMs)))
    return () => clearTimeout(timer)
  }
  return { now: Date.now, monotonic: () => performance.now(), at, sleep: sleepWith(at) }
}

/** Builds it. Only what the system gives is opened later: sockets, processes, the calls of the C library. */
export const realIo = (options: IoOptions): RealIo => ({
  clock: realClock(),
  log: options.log,
  newId: randomUUID,
  random: Math.random,
  unguessable: (limit) => randomInt(limit),
  lookup: shareLookups(
    options.dnsServers.length > 0
      ? withLookupFallback(networkLookup(options.dnsServers), { clock: realClock() })
      : withLookupFallback(machineLookup, { clock: realClock(), askServers: lookupWith(new Resolver(once)) }),
  ),
  nameServers: () => (options.dnsServers.length > 0 ? options.dnsServers : getServers()),
  datagrams,
  connect: (connection) => net.connect(connection),
  readBuffer: Buffer.allocUnsafeSlow(64 * 1024),
  downloadThrottle: createDownloadThrottle(realClock()),
  secure: (connection) => tls.connect(connection),
  ...networkTools(options),
  trust: tls.createSecureContext({
    ecdhCurve: keyExchangeGroups,
    ...(options.extraCaCerts === null ? {} : { ca: trustedAuthorities(options.extraCaCerts) }),
  }),
  openTrust: openTrustOf(options),
  certificateFacts: createCertificateReader(),
  egress: createEgress(options),
  egressRoutes: createEgressRoutes(options.extraCaCerts),
  egressRoute: directRoute,
  ...scripts(options),
  model: modelOf(options),
  judging: createJudgingPool({
    execPath: options.host.execPath,
    size: judgingProcesses(),
    clock: realClock(),
    budget: runBudget,
  }),
  requestMemory: createSemaphore({ total: maxRequestMemory }),
  loopWatch: createLoopWatch(realClock()),
  remeasureBudget: createRemeasureBudget(realClock()),
  busy: createBusyMeter(),
  readRoutes: () => ({
    four: readTable('/proc/net/route'),
    six: readTable('/proc/net/ipv6_route'),
    isUnplugged: (device) => /down$/.test(readTable(`/sys/class/net/${device}/operstate`)?.trim() ?? ''),
  }),
  hasIpv6: () =>
    Object.values(os.networkInterfaces()).some((addresses) =>
      addresses?.some(({ family, internal }) => family === 'IPv6' && !internal),
    ),
})

/** Made when an SSL check first asks: with every version and cipher that this OpenSSL still has, and keys of any length. */
const openTrustOf = ({ extraCaCerts }: IoOptions): RealIo['openTrust'] => {
  let context: tls.SecureContext | null = null
  return () => {
    context ??= tls.createSecureContext({
      ecdhCurve: keyExchangeGroups,
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT:ALL:@SECLEVEL=0',
      ...(extraCaCerts === null ? {} : { ca: trustedAuthorities(extraCaCerts) }),
    })
    return context
  }
}

/** Its endpoint is the operator's, as the control plane is, and reached in the same way. */
const modelOf = ({ llm = null, proxy = noProxies, extraCaCerts }: IoOptions): Model | null =>
  llm === null
    ? null
    : createModel(llm, {
        dispatcher: createDispatcher({ controlPlaneUrl: llm.baseUrl, proxy, extraCaCerts }),
        clock: realClock(),
      })

/** Bytes of all large requests that are under way: four of the largest that there may be. */
const maxRequestMemory = 64 * 1024 * 1024

const readTable = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Another system, or a family that is off: nothing can be said about it.
    return null
  }
}

const datagrams = (type: dgram.SocketType): dgram.Socket => dgram.createSocket(type)

/** One core is for the event loop; more than a few would need more memory than most machines have to spare. */
const judgingProcesses = (): number => Math.min(4, Math.max(1, os.availableParallelism() - 1))

/** Processes that may wait for scripts: what most locations use at once, at 40 MB each. */
const preparedScripts = 2

type ScriptTools = Pick<
  RealIo,
  'runScript' | 'endScripts' | 'browsers' | 'suites' | 'isolation' | 'offeredRuntimes'
>

const scripts = (options: IoOptions): ScriptTools => {
  const runtimes = findRuntimes(options.runtimesFolder ?? ownRuntimes)
  const clock = realClock()
  const { execPath } = options.host
  const program = programLoader(execPath)
  const isolation = createIsolation({ execPath, clock, program })
  const openEgressProxy = createEgressProxies()
  const common = { ...options, runtimes, clock, isolation, openEgressProxy }
  const browserProgram = programLoader(execPath, 'browser')
  const ffmpeg = findFfmpeg(options.browsersFolder)
  const browsers = createBrowsers({
    ...common,
    browserProgram,
    chromium: findChromium(options.browsersFolder),
    ffmpeg,
  })
  return {
    ...createSandbox({ ...common, program, preparedScripts }),
    browsers,
    suites: createSuites({ ...common, browsers, ffmpeg, ...ofSuites(execPath) }),
    isolation,
    offeredRuntimes: () => offeredRuntimes(runtimes),
  }
}

/** What only suites need. */
export const ofSuites = (execPath: string) => ({
  newId: randomUUID,
  suiteProgram: programLoader(execPath, 'suite'),
})

/** What needs calls that Node does not offer, which are loaded when the first of them is needed; and packet captures. */
const networkTools = ({
  log,
  capture,
  dnsServers,
}: IoOptions): Pick<RealIo, 'openPing' | 'capture' | 'trace' | 'traceRoute' | 'namesOf' | 'tcpFacts'> => {
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
    traceRoute: routeTracer(libc, clock),
    namesOf: namesBy(dnsServers),
    tcpFacts: createTcpFacts(libc),
  }
}

export const createBusyMeter = (): (() => number) => {
  let since = performance.eventLoopUtilization()
  return () => {
    const { utilization } = performance.eventLoopUtilization(since)
    since = performance.eventLoopUtilization()
    return utilization
  }
}

/** Node's types leave `detail` out. */
type GcEntry = PerformanceEntry & { detail?: NodeGCPerformanceDetail }

/** Collections of old objects since the last call: those that the event loop waits for. */
export const createCollectionCounter = (): (() => number) => {
  let count = 0
  const isOfOld = (entry: GcEntry): boolean => entry.detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR
  new PerformanceObserver((list) => {
    count += list.getEntries().filter(isOfOld).length
  }).observe({ entryTypes: ['gc'] })
  return () => {
    const before = count
    count = 0
    return before
  }
}

const machineLookup: Lookup = async (host, family) =>
  (await systemLookup(host, { family, all: true })).map(({ address }) => ({ address, family }))

const networkLookup = (servers: readonly string[]): Lookup => {
  const resolver = new Resolver({ timeout: 5000, tries: 2 })
  resolver.setServers(servers)
  return lookupWith(resolver)
}

/** For a question whose answer nobody waits for any longer. */
const once = { timeout: 1000, tries: 1 }

const lookupWith =
  (resolver: Resolver): Lookup =>
  async (host, family) => {
    const addresses = await (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host))
    return addresses.map((address) => ({ address, family }))
  }
