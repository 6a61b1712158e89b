import { DnsRequest, type DnsSpec } from '../../../../../protocol/checks/dns.ts'
import type { DnsCheckResult } from '../../../../../protocol/checks/dns-result.ts'
import { type Html, html } from '../../../../platform/web/html/html.ts'
import { say } from '../../../../platform/web/html/say.ts'
import { block, code, cut, factList, folded, section } from '../../../../platform/web/html/section.ts'
import { sharedFields } from '../shared-fields.ts'
import { byLocation } from './analytics.ts'
import type { CheckKind } from './check-kind.ts'
import type { DetailReader } from './detail-reader.ts'
import { degradedBeforeMax, responseTimes, subMinuteFrequency } from './fields.ts'
import { timings } from './run-series.ts'

const maxText = 4000
const usualPort = 53

const dnsSections = ({ request, nameServerInfo, response }: DnsCheckResult): Html[] => [
  section('Question and answer', [
    factList([
      ['Question', code(`${request.query} ${request.recordType}`)],
      [
        'Name server',
        nameServerInfo === null
          ? null
          : code(`${nameServerInfo.name} (${nameServerInfo.host}:${nameServerInfo.port})`),
      ],
      [
        'Answer',
        response === null ? say('None came') : html`<b>${response.returnCode}</b> over ${response.protocol}`,
      ],
      ['Records', response === null ? null : String(response.answer.Answer.length)],
    ]),
    response === null || response.text === ''
      ? null
      : folded('The answer', block('DNS answer', cut(response.text, maxText)), true),
  ]),
]

const dnsDetail: DetailReader<DnsCheckResult> = { sections: dnsSections }

/** One question to a name server. */
export const dns: CheckKind = {
  type: 'DNS',
  path: 'dns',
  title: 'DnsCheck',
  words: 'a DNS check',
  label: 'DNS monitor',
  purpose: 'What does a name resolve to?',
  note: 'One question to a name server. Without an assertion on RESPONSE_CODE only NOERROR passes.',
  fields: {
    ...sharedFields,
    request: DnsRequest,
    ...subMinuteFrequency,
    ...responseTimes(5000, 500, 1000),
  },
  required: ['name', 'request'],
  example: {
    name: 'Mail servers',
    request: { query: 'example.com', recordType: 'MX' },
    locations: ['eu-west-1'],
  },
  scheduled: true,
  asksForRecords: true,
  takesVariables: false,
  needsRuntime: () => false,
  problems: degradedBeforeMax,
  spec: ({ doc: { request, shouldFail } }) => {
    const sent = request as DnsSpec['request'] & DnsRequest
    return { request: { ...sent, port: sent.port ?? usualPort }, shouldFail }
  },
  analytics: { path: 'dns', groupings: [byLocation] },
  series: timings('dns_monitor_timing_seconds', 'Timings of runs of a DNS monitor', { total: 'total' }),
  detail: dnsDetail,
}
