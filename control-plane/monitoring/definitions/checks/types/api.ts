import { ApiRequest, type ApiSpec } from '../../../../../protocol/checks/api.ts'
import { EnvironmentVariables } from '../environment-variables.ts'
import { sharedFields } from '../shared-fields.ts'
import { byLocation, byStatus } from './analytics.ts'
import type { CheckKind, Scripts } from './check-kind.ts'
import {
  degradedBeforeMax,
  responseTimes,
  sendTraceparent,
  setupAndTearDown,
  subMinuteFrequency,
} from './fields.ts'
import { httpDetail } from './http-detail.ts'
import { requestTooLarge } from './request-size.ts'
import { httpTimings } from './run-series.ts'

/** One HTTP request with scripts around it and assertions on everything that came back. */
export const api: CheckKind = {
  type: 'API',
  path: 'api',
  title: 'ApiCheck',
  words: 'an API check',
  label: 'API check',
  purpose: 'Requests with headers, bodies and assertions',
  note: 'One HTTP request with assertions on its answer. Scripts: the group’s setup, the check’s, the request, the check’s teardown, the group’s; at each place the snippet runs before the local script.',
  fields: {
    ...sharedFields,
    request: ApiRequest,
    ...subMinuteFrequency,
    ...responseTimes(30_000, 5000, 20_000),
    sendTraceparent,
    ...setupAndTearDown,
    environmentVariables: EnvironmentVariables,
  },
  required: ['name', 'request'],
  example: {
    name: 'Orders',
    request: {
      method: 'POST',
      url: 'https://example.com/api/orders',
      bodyType: 'JSON',
      body: '{"item": 1}',
      headers: [{ key: 'x-api-key', value: '{{SHOP_KEY}}' }],
      assertions: [{ source: 'JSON_BODY', property: '$.id', comparison: 'NOT_NULL' }],
    },
    locations: ['eu-west-1'],
  },
  scheduled: true,
  takesVariables: true,
  runsScripts: true,
  proxied: true,
  takesClientCertificates: true,
  takesApiDefaults: true,
  needsRuntime: (doc, group) => hasScripts(doc) || (group !== null && hasScripts(group)),
  problems: (doc) => [...degradedBeforeMax(doc), ...requestTooLarge(doc)],
  spec: ({ doc: { request, shouldFail, sendTraceparent }, setupScripts, tearDownScripts, snippets }) => ({
    request: request as ApiSpec['request'],
    shouldFail,
    setupScripts,
    tearDownScripts,
    ...(snippets.length === 0 ? {} : { snippets }),
    ...(sendTraceparent ? { sendTraceparent } : {}),
  }),
  analytics: { path: 'api-checks', groupings: [byLocation, byStatus] },
  series: httpTimings('api_check_timing_seconds', 'Timings of runs of an API check, by phase'),
  detail: httpDetail,
}

const hasScripts = (of: Scripts): boolean =>
  typeof (of.setupSnippetId ?? of.tearDownSnippetId) === 'number' ||
  Boolean(of.localSetupScript || of.localTearDownScript)
