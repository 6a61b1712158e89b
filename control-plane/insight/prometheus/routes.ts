/** The account's exporter: the metrics of its checks and private locations for Prometheus. */

import { Type } from 'typebox'
import { chooseFormat, expositionTypes, prefersProtobuf, protobufType } from '../../../protocol/exposition.ts'
import type { HasFinishedRuns } from '../../monitoring/outcomes/finished-runs.ts'
import type { App } from '../../platform/app/app.ts'
import { sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import { type Route, reply, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { exporter } from './exporter.ts'
import { watchedSize } from './large-scrapes.ts'
import { scrapeBody } from './scrape-body.ts'

const flag = (fallback: boolean, description: string) => Type.Boolean({ default: fallback, description })

const ScrapeSwitches = Type.Object(
  {
    locationLabelEnabled: flag(false, 'Series of runs by location, with the label `location`'),
    includeRetryAttempts: flag(false, 'Counts attempts that were followed by a retry as well'),
    disableTagParsing: flag(false, 'Makes no labels of tags such as `team:shop`'),
    histograms: flag(true, 'False: leaves out the histograms, which are most of the answer'),
    classicHistograms: flag(
      false,
      'In protobuf, whose histograms are native: classic ones beside them, for `always_scrape_classic_histograms`',
    ),
    standardNames: flag(
      false,
      'Names the two metrics as `promtool` would that have other names elsewhere: `watchpost_private_location_agents` and `watchpost_private_location_queue_duration_seconds`',
    ),
  },
  { additionalProperties: false },
)

const accountId = '5f3c1a52-8f0b-4c55-9a3e-2a3d1d2f4b11'

const scrape = route({
  method: 'GET',
  path: '/accounts/:accountId/v2/prometheus/metrics',
  access: 'READ_ONLY',
  tag: 'Prometheus',
  mayLag: true,
  summary: "The metrics of the account's checks and private locations, for Prometheus",
  description:
    'Text of Prometheus (0.0.4), or OpenMetrics (1.0.0) or protobuf with native histograms for those who ask for it with `Accept`. ' +
    'Counters and histograms begin with the first scrape of the account after the control plane was started. 50 requests a minute.',
  requestHeaders: {
    accept:
      '`application/openmetrics-text` for OpenMetrics, `application/vnd.google.protobuf` for native histograms',
    'accept-encoding': '`gzip` for a twentieth of the bytes',
  },
  params: Type.Object({ accountId: Type.String({ format: 'uuid' }) }),
  query: ScrapeSwitches,
  status: 200,
  responseType: 'text/plain',
  otherTypes: { success: ['application/openmetrics-text', 'application/vnd.google.protobuf'] },
  response: sentAsIs(),
  rateLimit: { requests: 50, seconds: 60 },
  example: { params: { accountId }, query: { locationLabelEnabled: true } },
  handle: async (
    { params, query: { standardNames, ...switches }, principal, headers },
    app: App & HasFinishedRuns,
  ) => {
    if (params.accountId.toLowerCase() !== principal.accountId) throw notFound()
    const accept = headers['accept']
    const format = prefersProtobuf(accept) ? 'protobuf' : chooseFormat(accept)
    const { accountId: account } = principal
    const pieces = await exporter(app).scrape({ accountId: account, switches, standardNames, format })
    const { body, headers: packing } = scrapeBody(
      watchedSize(app, account, pieces),
      headers['accept-encoding'],
    )
    return reply(body, {
      headers: {
        'content-type': format === 'protobuf' ? protobufType : expositionTypes[format],
        'cache-control': 'no-store',
        vary: 'accept, accept-encoding',
        ...packing,
      },
    })
  },
})

export const prometheusRoutes: Route<App & HasFinishedRuns>[] = [scrape]
