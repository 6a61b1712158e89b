import { UrlRequest } from '../../../../../protocol/checks/url.ts'
import { sharedFields } from '../shared-fields.ts'
import { byLocation, byStatus } from './analytics.ts'
import type { CheckKind } from './check-kind.ts'
import { degradedBeforeMax, responseTimes, sendTraceparent, subMinuteFrequency } from './fields.ts'
import { httpDetail } from './http-detail.ts'
import { httpTimings } from './run-series.ts'

/** One GET and assertions on its status. */
export const url: CheckKind = {
  type: 'URL',
  path: 'url',
  title: 'UrlMonitor',
  words: 'a URL monitor',
  label: 'URL monitor',
  purpose: 'Is an address there, and how fast?',
  note: 'One GET and assertions on its status.',
  fields: {
    ...sharedFields,
    request: UrlRequest,
    ...subMinuteFrequency,
    ...responseTimes(30_000, 3000, 5000),
    sendTraceparent,
  },
  required: ['name', 'request'],
  example: {
    name: 'Home page',
    request: {
      url: 'https://example.com/',
      assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
    },
    locations: ['eu-west-1'],
    frequency: 5,
  },
  scheduled: true,
  takesVariables: false,
  proxied: true,
  takesClientCertificates: true,
  needsRuntime: () => false,
  problems: degradedBeforeMax,
  spec: ({ doc: { request, shouldFail, sendTraceparent } }) => ({
    request,
    shouldFail,
    ...(sendTraceparent ? { sendTraceparent } : {}),
  }),
  analytics: { path: 'url-monitors', groupings: [byLocation, byStatus] },
  series: httpTimings('url_monitor_timing_seconds', 'Timings of runs of a URL monitor, by phase'),
  detail: httpDetail,
}
