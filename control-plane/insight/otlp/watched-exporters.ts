/** The SDK's exporters, with what becomes of each export told to the watch. */
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { ExportWatch } from './export-watch.ts'

export const watchedMetrics = (exporter: PushMetricExporter, watch: ExportWatch): PushMetricExporter => ({
  export: (metrics, done) =>
    exporter.export(metrics, (result) => {
      watch.exported('metrics', errorOf(result))
      done(result)
    }),
  forceFlush: () => exporter.forceFlush(),
  shutdown: () => exporter.shutdown(),
  ...(exporter.selectAggregation && { selectAggregation: exporter.selectAggregation.bind(exporter) }),
  ...(exporter.selectAggregationTemporality && {
    selectAggregationTemporality: exporter.selectAggregationTemporality.bind(exporter),
  }),
})

/** `taken`: so many spans no longer wait. */
export const watchedSpans = (
  exporter: SpanExporter,
  watch: ExportWatch & { taken(spans: number): void },
): SpanExporter => ({
  export: (spans, done) =>
    exporter.export(spans, (result) => {
      const error = errorOf(result)
      watch.taken(spans.length)
      watch.exported('traces', error)
      if (error !== null) watch.lost('export', spans.filter(isRun).length)
      done(result)
    }),
  shutdown: () => exporter.shutdown(),
})

const isRun = ({ parentSpanContext }: ReadableSpan): boolean => parentSpanContext === undefined

/** `ExportResultCode.SUCCESS` of @opentelemetry/core, which only the SDK itself needs. */
const success = 0

const errorOf = ({ code, error }: { code: number; error?: Error }): Error | null =>
  code === success ? null : (error ?? new Error('The export failed'))
