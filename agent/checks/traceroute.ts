import { isIP } from 'node:net'
import { latencyStatistics } from '../../protocol/checks/icmp.ts'
import { TracerouteSpec } from '../../protocol/checks/traceroute.ts'
import type { TracerouteCheckResult, TracerouteResponse } from '../../protocol/checks/traceroute-result.ts'
import type { Failure, Observation } from '../../protocol/result.ts'
import { type Sources, valueSource } from '../assertions/sources.ts'
import {
  type ConnectionState,
  describeFailure,
  isMachineError,
  refusedByPolicy,
} from '../net/connect/failures.ts'
import type { Address } from '../net/connect/lookup.ts'
import { failureOfAbort, whenAborted } from '../net/connect/when-aborted.ts'
import { reportOf, type TraceReport, traceSentence } from '../net/evidence/traceroute/report.ts'
import type { Trace, TraceOptions } from '../net/evidence/traceroute/traceroute.ts'
import type { Io } from '../net/io.ts'
import { openPing, type PingIo } from '../net/ping/open-ping.ts'
import { bare, familyOf, isHost, type ProbeModule, splitPort } from './probe-module.ts'
import { type RunContext, runner } from './runner.ts'

/** `traceRoute` waits until there is room, and null is none in time; `namesOf` gives up soon, and knows names of few. */
export type TracerouteIo = PingIo & {
  traceRoute(
    target: Address & { port: number },
    options: TraceOptions,
    signal: AbortSignal,
  ): Promise<Trace | null>
  namesOf(addresses: readonly string[]): Promise<ReadonlyMap<string, string>>
}

const tracerouteSources: Sources<TracerouteResponse> = {
  RESPONSE_TIME: valueSource('response time', ({ finalHopLatency }, property) => {
    const statistic = Object.hasOwn(latencyStatistics, property) ? latencyStatistics[property] : undefined
    return statistic === undefined ? undefined : finalHopLatency?.[statistic]
  }),
  HOP_COUNT: valueSource('hop count', ({ totalHops }) => totalHops),
  PACKET_LOSS: valueSource('packet loss', ({ packetLoss }) => packetLoss),
}

/** The way to a host, router by router; judged by whether it is reached and by the assertions. */
const runTraceroute = async (
  spec: TracerouteSpec,
  io: TracerouteIo,
  { signal, judge }: Pick<RunContext, 'signal' | 'judge'>,
): Promise<Observation> => {
  const { request } = spec
  const started = io.clock.monotonic()
  const state: ConnectionState = {
    ...{ host: bare(request.hostname), port: request.port, address: null, elapsedMs: 0, phase: 'lookup' },
  }
  const found = await addressOf(spec, state, { io, signal })
  const dns = isIP(state.host) === 0 ? rounded(io.clock.monotonic() - started) : 0
  if ('failure' in found)
    return notTraced(spec, found.failure, { dns, total: rounded(io.clock.monotonic() - started) })
  const trace = await io.traceRoute({ ...found, port: request.port }, optionsOf(spec), signal)
  if (trace === null)
    return notTraced(spec, failureOfAbort(signal, state), {
      dns,
      total: rounded(io.clock.monotonic() - started),
    })
  const total = rounded(io.clock.monotonic() - started)
  const report = reportOf(trace)
  const names = request.ptrLookup
    ? await io.namesOf(report.hops.flatMap(({ address }) => address ?? []))
    : new Map()
  const response = responseOf(spec, report, { trace, names })
  const assertions = await judge.evaluate(request.assertions, response, tracerouteSources)
  const failure = response.destinationReached || spec.shouldFail ? null : notReached(report)
  const { finalHopLatency: latency, totalHops, destinationReached, packetLoss } = response
  return {
    responseTime: latency?.avg ?? 0,
    failure,
    assertions,
    degraded: false,
    metrics: { dns, hopCount: totalHops, packetLoss, ...(latency === null ? {} : metricsOf(latency)) },
    detail: {
      ...{ assertions, request: requestOf(spec), totalHops, destinationReached, finalHopLatency: latency },
      ...{ timingPhases: { dns, total }, response, requestError: failure?.message ?? null },
    } satisfies TracerouteCheckResult,
  }
}

const probe: ProbeModule = (target) => {
  const { host, port } = splitPort(target) ?? { host: bare(target), port: 443 }
  if (!isHost(host)) return { problem: 'target must be a host, with or without a port' }
  const request = {
    ...{ hostname: host, protocol: 'TCP', port, ipFamily: familyOf(host), maxHops: 30, maxUnknownHops: 8 },
    ...{ ptrLookup: false, timeout: 8, assertions: [] },
  }
  return { host, spec: { request, shouldFail: false } }
}

export const tracerouteRunner = {
  ...runner(TracerouteSpec, runTraceroute, () => true),
  probes: { traceroute: probe },
}

const optionsOf = ({ request }: TracerouteSpec): TraceOptions => ({
  budgetMs: request.timeout * 1000,
  methods: [request.protocol],
  maxHops: request.maxHops,
  maxSilent: request.maxUnknownHops,
  unusedPort: request.port,
})

type Found = Address | { failure: Failure }
type Looking = { io: TracerouteIo; signal: AbortSignal }

/** Name and policy. For echo requests a socket is opened as for pings, which says whether this agent may send any. */
const addressOf = async (
  { request }: TracerouteSpec,
  state: ConnectionState,
  { io, signal }: Looking,
): Promise<Found> => {
  if (request.protocol === 'ICMP') {
    const opened = await openPing({ host: state.host, ipFamily: request.ipFamily }, io, signal)
    if ('failure' in opened) return opened
    opened.socket.close()
    return { address: opened.address, family: opened.family }
  }
  const ended = whenAborted(signal)
  try {
    const addresses = await Promise.race([lookUp(request, state.host, io), ended.promise])
    if (addresses === 'aborted') return { failure: failureOfAbort(signal, state) }
    const allowed = addresses.find(({ address }) => io.egress.allows(address))
    const [first] = addresses
    if (allowed !== undefined) return allowed
    if (first !== undefined) return { failure: refusedByPolicy({ ...state, address: first.address }) }
    throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
  } catch (error) {
    if (!(error instanceof Error) || error === signal.reason || isMachineError(error)) throw error
    return { failure: describeFailure(error, state) }
  } finally {
    ended.forget()
  }
}

const lookUp = async (
  { ipFamily }: TracerouteSpec['request'],
  host: string,
  io: Io,
): Promise<readonly Address[]> => {
  const literal = isIP(host)
  if (literal !== 0) return [{ address: host, family: literal === 6 ? 6 : 4 }]
  return io.lookup(host, ipFamily === 'IPv6' && io.hasIpv6() ? 6 : 4)
}

const rounded = (milliseconds: number): number => Math.round(Math.max(0, milliseconds) * 100) / 100

const notReached = (report: TraceReport): Failure => ({
  code: 'NOT_REACHED',
  message: `The target was not reached. ${traceSentence(report)}`,
  network: true,
})

const notTraced = (
  spec: TracerouteSpec,
  failure: Failure,
  timingPhases: TracerouteCheckResult['timingPhases'],
): Observation => ({
  ...{ responseTime: 0, failure, assertions: [], degraded: false, metrics: { dns: timingPhases.dns ?? 0 } },
  detail: {
    ...{ assertions: [], request: requestOf(spec), totalHops: null, destinationReached: null },
    ...{ finalHopLatency: null, timingPhases, response: null, requestError: failure.message },
  } satisfies TracerouteCheckResult,
})

const requestOf = ({ request }: TracerouteSpec): TracerouteCheckResult['request'] => ({
  hostname: request.hostname,
  protocol: request.protocol,
  port: request.protocol === 'ICMP' ? null : request.port,
  ipFamily: request.ipFamily,
  maxHops: request.maxHops,
  maxUnknownHops: request.maxUnknownHops,
})

type Traced = { trace: Trace; names: ReadonlyMap<string, string> }

const responseOf = (
  { request }: TracerouteSpec,
  report: TraceReport,
  { trace, names }: Traced,
): TracerouteResponse => {
  const last = report.hops.at(-1)
  const isReached = report.reached
  return {
    hostname: request.hostname,
    resolvedIp: report.address,
    ipFamily: trace.family === 6 ? 'IPv6' : 'IPv4',
    protocol: request.protocol,
    probeProtocol: report.method,
    totalHops: report.hops.length,
    destinationReached: isReached,
    truncationReason: reasonOf(request, report),
    packetLoss: isReached ? (last?.lossPercent ?? 100) : 100,
    finalHopLatency: isReached ? latencyOf(last) : null,
    hops: report.hops.map((hop) => hopOf(hop, names)),
  }
}

const reasonOf = (
  { maxHops, timeout }: TracerouteSpec['request'],
  { reached, finished, hops, tookMs }: TraceReport,
): TracerouteResponse['truncationReason'] => {
  if (reached) return 'destinationReached'
  if (finished) return 'unreachable'
  if (tookMs >= timeout * 1000) return 'timeout'
  return hops.length >= maxHops ? 'maxHops' : 'maxUnknownHops'
}

type Hop = TraceReport['hops'][number]

const latencyOf = (hop: Hop | undefined): TracerouteResponse['finalHopLatency'] =>
  hop === undefined || hop.avg === null
    ? null
    : { avg: hop.avg, min: hop.best ?? hop.avg, max: hop.worst ?? hop.avg, stdDev: hop.stdDev ?? 0 }

const hopOf = (hop: Hop, names: Traced['names']): TracerouteResponse['hops'][number] => ({
  hopNumber: hop.hop,
  mainIp: hop.address,
  mainHost: names.get(hop.address ?? '') ?? null,
  mark: hop.mark,
  sent: hop.sent,
  received: Math.round((hop.sent * (100 - hop.lossPercent)) / 100),
  lossPercentage: hop.lossPercent,
  rtt:
    hop.avg === null
      ? null
      : {
          lastMs: hop.last ?? hop.avg,
          avgMs: hop.avg,
          bestMs: hop.best ?? hop.avg,
          worstMs: hop.worst ?? hop.avg,
          stddevMs: hop.stdDev ?? 0,
        },
})

const metricsOf = ({ avg, min, max, stdDev }: NonNullable<TracerouteResponse['finalHopLatency']>) => ({
  latencyAvg: avg,
  latencyMin: min,
  latencyMax: max,
  latencyStdDev: stdDev,
})
