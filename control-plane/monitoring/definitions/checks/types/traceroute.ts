import { latencyStatistics } from '../../../../../protocol/checks/icmp.ts'
import { TracerouteRequest, type TracerouteSpec } from '../../../../../protocol/checks/traceroute.ts'
import type { TraceHop, TracerouteCheckResult } from '../../../../../protocol/checks/traceroute-result.ts'
import type { Violation } from '../../../../../protocol/validate.ts'
import { type Content, type Html, html } from '../../../../platform/web/html/html.ts'
import { say } from '../../../../platform/web/html/say.ts'
import { code, factList, section } from '../../../../platform/web/html/section.ts'
import { milliseconds, percent } from '../../../../platform/web/html/words.ts'
import { violation } from '../../../../platform/words/errors.ts'
import type { CheckDoc } from '../check-doc.ts'
import { sharedFields } from '../shared-fields.ts'
import { byLocation } from './analytics.ts'
import type { CheckKind } from './check-kind.ts'
import type { DetailReader } from './detail-reader.ts'
import { degradedBeforeMax, responseTimes, subMinuteFrequency } from './fields.ts'
import { timings } from './run-series.ts'

const usualPorts = { TCP: 443, UDP: 33_434, ICMP: 443 } as const

const inMs = (value: number | undefined): Content => (value === undefined ? '–' : milliseconds(value))

const hopRow = ({ hopNumber, mainIp, mainHost, mark, lossPercentage, rtt }: TraceHop): Html =>
  html`<tr><td>${hopNumber}</td><td>${mainIp === null ? html`<span class="quiet">${say('no answer')}</span>` : code(mainIp)} ${mainHost ?? ''} ${mark === null ? null : html`<b>${mark}</b>`}</td><td>${percent(lossPercentage)}</td><td>${inMs(rtt?.avgMs)}</td><td>${inMs(rtt?.worstMs)}</td></tr>`

const tracerouteSections = ({ request, response }: TracerouteCheckResult): Html[] => {
  const target = request.port === null ? request.hostname : `${request.hostname}:${request.port}`
  if (response === null) return [section('Way', factList([['Target', code(target)]]))]
  const { destinationReached, totalHops, packetLoss, finalHopLatency, hops } = response
  return [
    section('Way', [
      factList([
        ['Target', html`${code(target)} ${code(response.resolvedIp)}`],
        ['Reached', destinationReached ? say('yes') : html`<b>${say('no')}</b>`],
        ['Hops', String(totalHops)],
        ['Lost', percent(packetLoss)],
        ['Average', finalHopLatency === null ? null : milliseconds(finalHopLatency.avg)],
        ['Probes', response.probeProtocol],
      ]),
      html`<table><thead><tr><th scope="col">${say('Hop')}</th><th scope="col">${say('Address')}</th><th scope="col">${say('Lost')}</th><th scope="col">${say('Average')}</th><th scope="col">${say('Slowest')}</th></tr></thead><tbody>${hops.map(hopRow)}</tbody></table>`,
    ]),
  ]
}

const tracerouteDetail: DetailReader<TracerouteCheckResult> = { sections: tracerouteSections }

/** The way to a host, router by router. */
export const traceroute: CheckKind = {
  type: 'TRACEROUTE',
  path: 'traceroute',
  title: 'TracerouteCheck',
  words: 'a traceroute check',
  label: 'Traceroute monitor',
  purpose: 'Which way do packets take, and where do they get lost?',
  note: 'Each router on the way to a host. The response time is the average latency of the last hop.',
  fields: {
    ...sharedFields,
    request: TracerouteRequest,
    ...subMinuteFrequency,
    ...responseTimes(30_000, 10_000, 20_000),
  },
  required: ['name', 'request'],
  example: { name: 'Way to the shop', request: { url: 'shop.example.com' }, locations: ['eu-west-1'] },
  scheduled: true,
  takesVariables: false,
  needsRuntime: () => false,
  problems: (doc) => [...degradedBeforeMax(doc), ...assertionProblems(doc)],
  spec: ({ doc: { request, shouldFail } }): TracerouteSpec => {
    const { url, protocol = 'TCP', port, ...given } = request as TracerouteRequest
    return {
      request: {
        hostname: url,
        protocol,
        port: port ?? usualPorts[protocol],
        ipFamily: given.ipFamily ?? 'IPv4',
        maxHops: given.maxHops ?? 30,
        maxUnknownHops: given.maxUnknownHops ?? 15,
        ptrLookup: given.ptrLookup ?? true,
        timeout: given.timeout ?? 10,
        assertions: given.assertions ?? [],
      },
      shouldFail,
    }
  },
  analytics: { path: 'traceroute', groupings: [byLocation] },
  address: (request) => {
    const { url, protocol = 'TCP', port } = request as Partial<TracerouteRequest>
    return { host: url, port: port ?? usualPorts[protocol] }
  },
  series: timings('traceroute_monitor_timing_seconds', 'Timings of runs of a traceroute monitor, by type', {
    dns: 'dns',
    latency_avg: 'latencyAvg',
    latency_min: 'latencyMin',
    latency_max: 'latencyMax',
  }),
  detail: tracerouteDetail,
}

/** A statistic that there is none of would read as missing in every run; counts are not asked whether they differ. */
const assertionProblems = ({ request }: CheckDoc): Violation[] =>
  ((request as TracerouteRequest).assertions ?? []).flatMap(
    ({ source, property = '', comparison }, index) => {
      const path = `request.assertions.${index}`
      if (source === 'RESPONSE_TIME')
        return Object.hasOwn(latencyStatistics, property)
          ? []
          : [violation(`${path}.property`, 'enum', 'must be avg, min, max or stdDev')]
      return comparison === 'NOT_EQUALS'
        ? [violation(`${path}.comparison`, 'enum', 'must be EQUALS, GREATER_THAN or LESS_THAN')]
        : []
    },
  )
