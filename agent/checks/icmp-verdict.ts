import type { IcmpSpec } from '../../protocol/checks/icmp.ts'
import type { IcmpResponse, Latency, PingResult } from '../../protocol/checks/icmp-result.ts'
import type { Failure } from '../../protocol/result.ts'
import { errorWords } from '../net/ping/icmp-packet.ts'
import { notReached } from '../net/ping/open-ping.ts'
import type { Ping } from '../net/ping/ping-series.ts'

/** Microseconds: less is noise. */
export const toMicroseconds = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000

/** Statistics of the replies; without one there are none. */
export const latencyOf = (pings: readonly Ping[]): Latency => {
  const times = pings.map(({ rtt }) => rtt).filter((rtt) => rtt !== null)
  if (times.length === 0) return { avg: null, min: null, max: null, stdDev: null }
  const avg = times.reduce((sum, rtt) => sum + rtt, 0) / times.length
  const variance = times.reduce((sum, rtt) => sum + (rtt - avg) ** 2, 0) / times.length
  return {
    avg: toMicroseconds(avg),
    min: toMicroseconds(Math.min(...times)),
    max: toMicroseconds(Math.max(...times)),
    stdDev: toMicroseconds(Math.sqrt(variance)),
  }
}

/** Percent of the pings without a reply in time, to a hundredth. */
export const packetLossOf = (pings: readonly Ping[]): number => {
  if (pings.length === 0) return 100
  const lost = pings.filter(({ rtt }) => rtt === null).length
  return Math.round((lost / pings.length) * 10_000) / 100
}

/** A ping as results show it, with its times in milliseconds. */
export const pingResultOf = ({ sequence, rtt, ttl, answer, error }: Ping): PingResult => ({
  sequence,
  type: answer?.type ?? null,
  code: answer?.code ?? null,
  success: rtt !== null,
  rtt: rtt === null ? null : toMicroseconds(rtt),
  ttl,
  from: answer?.from ?? null,
  error,
})

type Thresholds = Pick<IcmpSpec, 'degradedPacketLossThreshold' | 'maxPacketLossThreshold' | 'shouldFail'>

/** A target that loses more packets than it may has failed, unless the check says that it should. */
export const lossFailure = (
  response: IcmpResponse,
  { maxPacketLossThreshold, shouldFail }: Thresholds,
  elapsedMs: number,
): Failure | null => {
  const { packetLoss, packetsSent, packetsReceived } = response
  if (shouldFail || maxPacketLossThreshold === null || packetLoss <= maxPacketLossThreshold) return null
  const reason = response.pingResults.find(({ success }) => !success)
  if (reason?.error && packetsReceived === 0) return notReached(reason.error, shownHost(response))
  const cause = causeOf(response)
  if (packetsReceived === 0)
    return {
      code: 'NO_REPLY',
      message: `${shownHost(response)} answered none of ${packetsSent} pings within ${inSeconds(elapsedMs)}${cause}`,
      network: true,
    }
  return {
    code: 'PACKET_LOSS',
    message: `${packetsSent - packetsReceived} of ${packetsSent} pings of ${shownHost(response)} were lost within ${inSeconds(elapsedMs)}: ${packetLoss} % is more than the ${maxPacketLossThreshold} % that are allowed${cause}`,
    network: true,
  }
}

/** Whether so many percent of lost pings degrade a check that has not failed. */
export const isLossDegraded = (
  packetLoss: number,
  { degradedPacketLossThreshold, shouldFail }: Thresholds,
): boolean => !shouldFail && degradedPacketLossThreshold !== null && packetLoss > degradedPacketLossThreshold

const shownHost = ({ hostname, resolvedIp }: IcmpResponse): string =>
  hostname === resolvedIp ? hostname : `${hostname} (${resolvedIp})`

/** What routers said about the lost ones: the first such message. */
const causeOf = ({ pingResults, resolvedIp }: IcmpResponse): string => {
  const error = pingResults.find(({ success, type }) => !success && type !== null)
  if (error === undefined || error.type === null || error.code === null) return ''
  const words = errorWords(resolvedIp.includes(':') ? 6 : 4, error.type, error.code)
  return `; ${error.from ?? 'a router'} says: ${words}`
}

const inSeconds = (milliseconds: number): string => `${Number((milliseconds / 1000).toFixed(1))} s`
