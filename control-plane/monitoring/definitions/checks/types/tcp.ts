import { TcpRequest, type TcpSpec } from '../../../../../protocol/checks/tcp.ts'
import type { TcpCheckResult } from '../../../../../protocol/checks/tcp-result.ts'
import type { Violation } from '../../../../../protocol/validate.ts'
import { type Html, html } from '../../../../platform/web/html/html.ts'
import { say } from '../../../../platform/web/html/say.ts'
import { block, code, cut, factList, folded, section } from '../../../../platform/web/html/section.ts'
import { bytes } from '../../../../platform/web/html/words.ts'
import { violation } from '../../../../platform/words/errors.ts'
import { sharedFields } from '../shared-fields.ts'
import { timingBar } from '../timing-bar.ts'
import { byLocation } from './analytics.ts'
import type { CheckKind } from './check-kind.ts'
import type { DetailReader } from './detail-reader.ts'
import { responseTimes, subMinuteFrequency } from './fields.ts'
import { timings } from './run-series.ts'

const maxText = 4000

const tcpSections = (
  { request, response, timingPhases: phases }: TcpCheckResult,
  showsData: boolean,
): Array<Html | null> => {
  const { resolvedIp, error, data, dataEncoding, dataBytes } = response
  return [
    section('Connection', [
      factList([
        ['Target', code(`${request.hostname}:${request.port}`)],
        ['Address', resolvedIp === null ? say('none found') : code(resolvedIp)],
        ['Error', error === null ? null : html`${code(error.code)} during ${error.syscall}`],
        ['Received', bytes(dataBytes)],
      ]),
      !showsData || data === '' || dataEncoding === 'base64'
        ? null
        : folded('Start of what the peer sent', block('Received data', cut(data, maxText)), true),
    ]),
    timingBar(
      [
        { name: 'DNS', ms: phases.dns },
        { name: 'Connect', ms: phases.connection },
        { name: 'Data', ms: phases.data },
      ],
      phases.total,
    ),
  ]
}

const tcpDetail: DetailReader<TcpCheckResult> = { sections: tcpSections }

/** One TCP connection, what is sent over it and what comes back. */
export const tcp: CheckKind = {
  type: 'TCP',
  path: 'tcp',
  title: 'TcpCheck',
  words: 'a TCP check',
  label: 'TCP monitor',
  purpose: 'Is a port open, and what does it say?',
  note: 'One TCP connection, with assertions on what comes back.',
  fields: {
    ...sharedFields,
    request: TcpRequest,
    ...subMinuteFrequency,
    ...responseTimes(5000, 3000, 5000),
  },
  required: ['name', 'request'],
  example: {
    name: 'Database',
    request: { hostname: 'db.example.com', port: 5432 },
    locations: ['eu-west-1'],
  },
  scheduled: true,
  takesVariables: false,
  proxied: true,
  needsRuntime: () => false,
  problems: (doc) => oneOfEach(doc.request as TcpRequest),
  spec: ({ doc: { request, shouldFail } }): TcpSpec => {
    const { hostname, url, data, body, port, ipFamily, assertions } = request as TcpRequest
    return {
      request: {
        hostname: hostname ?? url ?? '',
        port,
        data: data ?? body ?? null,
        ipFamily: ipFamily ?? 'IPv4',
        assertions: assertions ?? [],
      },
      shouldFail,
    }
  },
  analytics: { path: 'tcp-checks', groupings: [byLocation] },
  address: (request) => {
    const { hostname, url, port } = request as Partial<TcpRequest>
    return { host: hostname ?? url, port }
  },
  series: timings('tcp_monitor_timing_seconds', 'Timings of runs of a TCP monitor, by phase', {
    dns: 'dns',
    connection: 'connection',
    data: 'data',
    total: 'total',
  }),
  detail: tcpDetail,
}

const oneOfEach = ({ hostname, url, data = null, body = null }: TcpRequest): Violation[] => [
  ...(hostname === undefined && url === undefined
    ? [violation('request.hostname', 'required', 'is required')]
    : []),
  ...(hostname !== undefined && url !== undefined
    ? [violation('request.url', 'one', 'is an older name of "request.hostname": send one of them')]
    : []),
  ...(data !== null && body !== null
    ? [violation('request.body', 'one', 'is an older name of "request.data": send one of them')]
    : []),
]
