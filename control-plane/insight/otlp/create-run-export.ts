/**
 * Final results to an OTLP receiver. Only a program whose operator has named one loads this file, and the SDK with it.
 *
 * A result waits in a short queue until the event loop has a turn for it, so that whoever stored it goes on at once. Each
 * place where something waits has a bound: the queue, the series, the spans; what is beyond it is dropped and counted.
 */

import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions'
import { type ProxySettings, proxyEnvFor } from '../../../protocol/networks/proxy.ts'
import type { FinalResult } from '../../monitoring/outcomes/consequences.ts'
import type { RunExport } from '../../monitoring/outcomes/run-export.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import { controlPlaneVersion } from '../../platform/settings/config.ts'
import { type ExportWatch, watchExports } from './export-watch.ts'
import type { OtlpSettings } from './otlp-settings.ts'
import { createRunMetrics } from './run-metrics.ts'
import { createRunSpans } from './run-spans.ts'
import { watchedMetrics, watchedSpans } from './watched-exporters.ts'

const maxWaiting = 5000
const runsPerTurn = 100

type Parts = Pick<App, 'log'> &
  HasMetrics & {
    settings: OtlpSettings
    proxies: ProxySettings
    baseUrl: string
    monotonic(): number
  }

type Destination = { take(run: FinalResult): void; close(): Promise<void> }

export const createRunExport = (parts: Parts): RunExport => {
  const watch = watchExports(parts)
  const destinations = [metricsOf(parts, watch), spansOf(parts, watch)].filter((one) => one !== null)
  const waiting: FinalResult[] = []
  let turn: NodeJS.Immediate | undefined
  const takeOne = (run: FinalResult): void => {
    try {
      for (const { take } of destinations) take(run)
    } catch (error) {
      // Nobody is there to catch it, and no run is worth the end of the program.
      watch.lost('error', 1)
      parts.log.error({ err: error, resultId: run.resultId }, 'A result could not be exported')
    }
  }
  const takeSome = (count: number): void => {
    for (const run of waiting.splice(0, count)) takeOne(run)
    turn = waiting.length === 0 ? undefined : setImmediate(takeSome, runsPerTurn)
  }
  return {
    take: (results) => {
      const room = maxWaiting - waiting.length
      waiting.push(...results.slice(0, room))
      if (results.length > room) watch.lost('queue', results.length - room)
      if (waiting.length > 0) turn ??= setImmediate(takeSome, runsPerTurn)
    },
    close: async (end) => {
      clearImmediate(turn)
      takeSome(waiting.length)
      await Promise.race([Promise.allSettled(destinations.map(({ close }) => close())), end])
    },
  }
}

const metricsOf = ({ settings, proxies, monotonic }: Parts, watch: ExportWatch): Destination | null => {
  const { metricsUrl: url, metricsEveryMs: everyMs, maxSeries } = settings
  if (url === null) return null
  const newExporter = () => watchedMetrics(new OTLPMetricExporter(exporterOf(url, proxies)), watch)
  const metrics = createRunMetrics({
    resource: ownResource(),
    newExporter,
    everyMs,
    maxSeries,
    monotonic,
  })
  return {
    take: (run) => {
      if (!metrics.record(run)) watch.lost('series', 1)
    },
    close: metrics.close,
  }
}

const spansOf = ({ settings, proxies, baseUrl }: Parts, watch: ExportWatch): Destination | null => {
  const { tracesUrl: url, spansEveryMs: everyMs, maxSpans } = settings
  if (url === null) return null
  let spansWaiting = 0
  const taken = (count: number): void => {
    spansWaiting -= count
  }
  const exporter = watchedSpans(new OTLPTraceExporter(exporterOf(url, proxies)), { ...watch, taken })
  const spans = createRunSpans({ resource: ownResource(), exporter, everyMs, maxSpans })
  return {
    take: (run) => {
      const { isCancelled, hasFailures, hasErrors } = run.verdict
      if (isCancelled || !(hasFailures || hasErrors)) return
      if (spansWaiting >= maxSpans) return watch.lost('spans', 1)
      spansWaiting += spans.record(run, resultUrl(baseUrl, run))
    },
    close: spans.close,
  }
}

const exporterOf = (url: string, proxies: ProxySettings) => ({
  url,
  httpAgentOptions: { proxyEnv: proxyEnvFor(new URL(url), proxies) },
})

/** The API's, which asks for a key: a link to the result's page would be one to whoever reads the backend. */
const resultUrl = (baseUrl: string, { checkId, resultId }: FinalResult): string =>
  `${baseUrl}/v1/check-results/${checkId}/${resultId}`

/** What the operator's variables say of it goes before. */
const ownResource = (): Resource =>
  resourceFromAttributes({
    [ATTR_SERVICE_NAME]: 'watchpost',
    [ATTR_SERVICE_VERSION]: controlPlaneVersion,
  }).merge(detectResources({ detectors: [envDetector] }))
