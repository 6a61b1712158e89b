import { Type } from 'typebox'
import { IcmpRequest, type IcmpSpec, latencyStatistics } from '../../../../../protocol/checks/icmp.ts'
import type { IcmpCheckResult } from '../../../../../protocol/checks/icmp-result.ts'
import type { Violation } from '../../../../../protocol/validate.ts'
import { type Content, type Html, html } from '../../../../platform/web/html/html.ts'
import { say } from '../../../../platform/web/html/say.ts'
import { code, factList, folded, section } from '../../../../platform/web/html/section.ts'
import { milliseconds, percent as share } from '../../../../platform/web/html/words.ts'
import { violation } from '../../../../platform/words/errors.ts'
import { nullable } from '../../../../platform/words/shapes/nullable.ts'
import type { CheckDoc } from '../check-doc.ts'
import { sharedFields } from '../shared-fields.ts'
import { byLocation } from './analytics.ts'
import type { CheckKind } from './check-kind.ts'
import type { DetailReader } from './detail-reader.ts'
import { degradedBeforeMax, responseTimes, subMinuteFrequency } from './fields.ts'
import { timings } from './run-series.ts'

const icmpSections = ({ request, response }: IcmpCheckResult): Html[] => {
  if (response === null)
    return [
      section(
        'Pings',
        factList([
          ['Target', code(request.hostname)],
          ['Sent', say('none')],
        ]),
      ),
    ]
  const { latency, pingResults } = response
  const inMs = (value: number | null): Content => (value === null ? null : milliseconds(value))
  return [
    section('Pings', [
      factList([
        [
          'Target',
          html`${code(request.hostname)} ${request.hostname === response.resolvedIp ? null : code(response.resolvedIp)}`,
        ],
        ['Answered', say('{0} of {1}', response.packetsReceived, response.packetsSent)],
        ['Lost', share(Number(response.packetLoss.toFixed(1)))],
        ['Average', inMs(latency.avg)],
        ['Fastest', inMs(latency.min)],
        ['Slowest', inMs(latency.max)],
      ]),
      pingResults.length === 0
        ? null
        : folded(
            'Each ping',
            html`<ol class="plain">${pingResults
              .slice(0, 100)
              .map(
                ({ success, rtt, from, error }) =>
                  html`<li>${success ? (inMs(rtt) ?? say('answered')) : (error ?? say('no answer'))}${from === null ? null : html` <span class="quiet">from ${from}</span>`}</li>`,
              )}</ol>`,
          ),
    ]),
  ]
}

const icmpDetail: DetailReader<IcmpCheckResult> = { sections: icmpSections }

const percent = (fallback: number) =>
  nullable(Type.Number({ exclusiveMinimum: 0, maximum: 100 }), {
    default: fallback,
    description: 'Percent of lost packets; null: any number',
    examples: [fallback],
  })

/** Pings of a host: their latency and how many are lost. */
export const icmp: CheckKind = {
  type: 'ICMP',
  path: 'icmp',
  title: 'IcmpCheck',
  words: 'an ICMP check',
  label: 'Ping monitor',
  purpose: 'Does a host answer pings?',
  note: 'Pings of a host. The response time is their average latency.',
  fields: {
    ...sharedFields,
    request: IcmpRequest,
    ...subMinuteFrequency,
    ...responseTimes(300_000, 10_000, 20_000),
    degradedPacketLossThreshold: percent(10),
    maxPacketLossThreshold: percent(20),
  },
  required: ['name', 'request'],
  example: { name: 'Router', request: { hostname: 'router.example.com' }, locations: ['eu-west-1'] },
  scheduled: true,
  takesVariables: false,
  needsRuntime: () => false,
  problems: (doc) => [...degradedBeforeMax(doc), ...degradedLossBeforeMax(doc), ...unknownStatistics(doc)],
  spec: ({ doc }): IcmpSpec => {
    const { hostname, ipFamily, pingCount, assertions } = doc.request as IcmpRequest
    return {
      request: {
        hostname,
        ipFamily: ipFamily ?? 'IPv4',
        pingCount: pingCount ?? 10,
        assertions: assertions ?? [],
      },
      ...lossOf(doc),
      shouldFail: doc.shouldFail,
    }
  },
  analytics: { path: 'icmp', groupings: [byLocation] },
  series: timings('icmp_monitor_timing_seconds', 'Timings of runs of an ICMP monitor, by type', {
    dns: 'dns',
    latency_avg: 'latencyAvg',
    latency_min: 'latencyMin',
    latency_max: 'latencyMax',
  }),
  detail: icmpDetail,
}

type Loss = Pick<IcmpSpec, 'degradedPacketLossThreshold' | 'maxPacketLossThreshold'>

const lossOf = (doc: CheckDoc): Loss => {
  const { degradedPacketLossThreshold, maxPacketLossThreshold } = doc as CheckDoc & Loss
  return { degradedPacketLossThreshold, maxPacketLossThreshold }
}

const degradedLossBeforeMax = (doc: CheckDoc): Violation[] => {
  const { degradedPacketLossThreshold: degraded, maxPacketLossThreshold: max } = lossOf(doc)
  return degraded !== null && max !== null && degraded > max
    ? [violation('degradedPacketLossThreshold', 'order', 'must not be greater than "maxPacketLossThreshold"')]
    : []
}

/** A statistic that there is none of would read as missing in every run. */
const unknownStatistics = (doc: CheckDoc): Violation[] =>
  ((doc.request as IcmpRequest).assertions ?? []).flatMap(({ source, property = '' }, index) =>
    source !== 'LATENCY' || Object.hasOwn(latencyStatistics, property)
      ? []
      : [violation(`request.assertions.${index}.property`, 'enum', 'must be avg, min, max or stdDev')],
  )
