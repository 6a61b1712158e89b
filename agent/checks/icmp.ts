import type { AssertionOutcome } from '../../protocol/assertion.ts'
import { IcmpSpec, latencyStatistics } from '../../protocol/checks/icmp.ts'
import type { IcmpCheckResult, IcmpResponse } from '../../protocol/checks/icmp-result.ts'
import type { Failure, Observation } from '../../protocol/result.ts'
import { jsonSource, type Sources, valueSource } from '../assertions/sources.ts'
import { DeadlinePassed } from '../base/deadline.ts'
import { packetSize } from '../net/ping/icmp-packet.ts'
import { openPing, type PingConnection, type PingIo } from '../net/ping/open-ping.ts'
import { pingSeries, type Series } from '../net/ping/ping-series.ts'
import {
  isLossDegraded,
  latencyOf,
  lossFailure,
  packetLossOf,
  pingResultOf,
  toMicroseconds,
} from './icmp-verdict.ts'
import { bare, familyOf, isHost, type ProbeModule } from './probe-module.ts'
import { type RunContext, runner } from './runner.ts'

const intervalMs = 500

/** With 50 pings and a slow name server still inside the 30 s that a run may take. */
const replyTimeoutMs = 4000

/** Sources of ICMP checks; `property` of LATENCY is the statistic, the average unless told otherwise. */
const icmpSources: Sources<IcmpResponse> = {
  LATENCY: valueSource('latency', ({ latency }, property) => {
    const statistic = Object.hasOwn(latencyStatistics, property) ? latencyStatistics[property] : undefined
    return statistic === undefined ? undefined : latency[statistic]
  }),
  JSON_RESPONSE: jsonSource('response', (response) => ({ value: response })),
}

/** Pings of one host, judged by how many are lost and by the assertions. The response time is the average round trip. */
export const runIcmp = async (
  spec: IcmpSpec,
  io: PingIo,
  { signal, judge }: Pick<RunContext, 'signal' | 'judge'>,
): Promise<Observation> => {
  const { hostname: host, ipFamily, pingCount: count } = spec.request
  const started = io.clock.monotonic()
  const opened = await openPing({ host, ipFamily }, io, signal)
  if ('failure' in opened) return notSent(spec, opened.failure, opened.dnsMs)
  const { socket, family } = opened
  try {
    const series = await pingSeries(socket, { family, count, intervalMs, replyTimeoutMs }, { io, signal })
    if (signal.aborted && !(signal.reason instanceof DeadlinePassed)) throw signal.reason
    const response = responseOf(spec, opened, series)
    const failure = lossFailure(response, spec, io.clock.monotonic() - started)
    const assertions = await judge.evaluate(spec.request.assertions, response, icmpSources)
    return observed(spec, { response, failure, assertions })
  } finally {
    socket.close()
  }
}

const probe: ProbeModule = (target) => {
  const host = bare(target)
  if (!isHost(host)) return { problem: 'target must be a host' }
  const spec = {
    request: { hostname: host, ipFamily: familyOf(host), pingCount: 1, assertions: [] },
    degradedPacketLossThreshold: null,
    maxPacketLossThreshold: 50,
    shouldFail: false,
  }
  return { host, spec }
}

export const icmpRunner = { ...runner(IcmpSpec, runIcmp, () => true), probes: { icmp: probe } }

type Verdict = { response: IcmpResponse; failure: Failure | null; assertions: AssertionOutcome[] }

const observed = (spec: IcmpSpec, { response, failure, assertions }: Verdict): Observation => {
  return {
    responseTime: response.latency.avg ?? 0,
    failure,
    assertions,
    degraded: failure === null && isLossDegraded(response.packetLoss, spec),
    metrics: metricsOf(response),
    detail: { assertions, request: requestOf(spec), response, requestError: null } satisfies IcmpCheckResult,
  }
}

/** No packet could leave: the name, the route or the policy of this agent stood before it. */
const notSent = (spec: IcmpSpec, failure: Failure, dnsMs: number): Observation => ({
  responseTime: 0,
  failure,
  assertions: [],
  degraded: false,
  metrics: { dns: toMicroseconds(dnsMs) },
  detail: {
    assertions: [],
    request: requestOf(spec),
    response: null,
    requestError: failure.message,
  } satisfies IcmpCheckResult,
})

const requestOf = ({ request }: IcmpSpec): IcmpCheckResult['request'] => ({
  hostname: request.hostname,
  ipFamily: request.ipFamily,
  pingCount: request.pingCount,
})

const responseOf = (
  { request }: IcmpSpec,
  { address, family, socket, dnsMs }: PingConnection & { dnsMs: number },
  { pings, duplicates, late }: Series,
): IcmpResponse => ({
  hostname: request.hostname,
  resolvedIp: address,
  ipFamily: family === 4 ? 'IPv4' : 'IPv6',
  pingCount: request.pingCount,
  packetsSent: pings.length,
  packetsReceived: pings.filter(({ rtt }) => rtt !== null).length,
  packetSize,
  packetLoss: packetLossOf(pings),
  dnsResolutionTime: toMicroseconds(dnsMs),
  latency: latencyOf(pings),
  duplicates,
  lateReplies: late,
  timing: socket.isStamped ? 'KERNEL' : 'AGENT',
  pingResults: pings.map(pingResultOf),
})

/** By the names of the analytics of ICMP checks. */
const metricsOf = ({ packetLoss, latency, dnsResolutionTime }: IcmpResponse): Record<string, number> => {
  const { avg, min, max, stdDev } = latency
  const metrics = { packetLoss, dns: dnsResolutionTime }
  if (avg === null || min === null || max === null || stdDev === null) return metrics
  return { ...metrics, latencyAvg: avg, latencyMin: min, latencyMax: max, latencyStdDev: stdDev }
}
