/** The analytics endpoints, a row each (api-facts 9.4). */
import type { CheckType } from '../../../protocol/check-type.ts'
import {
  daysUntilExpiry,
  measured,
  type NumberMetric,
  responseTime,
  traceCount,
  webVital,
} from './metrics.ts'

export type GroupBy = 'runLocation' | 'statusCode' | 'pageIndex'

export type Kind = {
  path: string
  checkTypes: readonly CheckType[]
  /** With its article: `a URL monitor`. */
  words: string
  groupBy: readonly GroupBy[]
  numbers: readonly NumberMetric[]
}

const httpNumbers: NumberMetric[] = [
  responseTime,
  measured('wait', 'Waiting for a connection'),
  measured('dns', 'Name resolution'),
  measured('tcp', 'Connecting'),
  measured('firstByte', 'Waiting for the first byte'),
  measured('download', 'Download'),
]

const browserNumbers: NumberMetric[] = [
  responseTime,
  webVital('TTFB', 'Time to first byte', 'milliseconds'),
  webVital('FCP', 'First contentful paint', 'milliseconds'),
  webVital('LCP', 'Largest contentful paint', 'milliseconds'),
  webVital('CLS', 'Cumulative layout shift', 'score'),
  webVital('TBT', 'Total blocking time', 'milliseconds'),
  traceCount('consoleErrors', 'Console errors'),
  traceCount('networkErrors', 'Network errors'),
  traceCount('userScriptErrors', 'Script errors'),
  traceCount('documentErrors', 'Document errors'),
]

export const kinds: readonly Kind[] = [
  {
    path: 'api-checks',
    checkTypes: ['API'],
    words: 'an API check',
    groupBy: ['runLocation', 'statusCode'],
    numbers: httpNumbers,
  },
  {
    path: 'url-monitors',
    checkTypes: ['URL'],
    words: 'a URL monitor',
    groupBy: ['runLocation', 'statusCode'],
    numbers: httpNumbers,
  },
  {
    path: 'browser-checks',
    checkTypes: ['BROWSER'],
    words: 'a browser check',
    groupBy: ['runLocation', 'pageIndex'],
    numbers: browserNumbers,
  },
  {
    path: 'multistep-checks',
    checkTypes: ['MULTI_STEP'],
    words: 'a multi-step check',
    groupBy: ['runLocation'],
    numbers: [responseTime],
  },
  {
    path: 'playwright-checks',
    checkTypes: ['PLAYWRIGHT'],
    words: 'a Playwright check',
    groupBy: ['runLocation'],
    numbers: [responseTime],
  },
  {
    path: 'tcp-checks',
    checkTypes: ['TCP'],
    words: 'a TCP check',
    groupBy: ['runLocation'],
    numbers: [
      measured('total', 'Total time'),
      measured('dns', 'Name resolution'),
      measured('connection', 'Connecting'),
      measured('data', 'Waiting for data'),
    ],
  },
  {
    path: 'dns',
    checkTypes: ['DNS'],
    words: 'a DNS check',
    groupBy: ['runLocation'],
    numbers: [measured('total', 'Total time')],
  },
  {
    path: 'icmp',
    checkTypes: ['ICMP'],
    words: 'an ICMP check',
    groupBy: ['runLocation'],
    numbers: [
      measured('packetLoss', 'Packet loss', { unit: 'percentage' }),
      measured('latencyMin', 'Minimum latency'),
      measured('latencyMax', 'Maximum latency'),
      measured('latencyAvg', 'Average latency'),
      measured('latencyStdDev', 'Standard deviation of the latency'),
    ],
  },
  {
    path: 'ssl',
    checkTypes: ['URL', 'API'],
    words: 'the TLS side of a URL monitor or API check',
    groupBy: ['runLocation'],
    numbers: [measured('handshakeTimeMs', 'TLS handshake', { from: 'tls' }), daysUntilExpiry],
  },
]
