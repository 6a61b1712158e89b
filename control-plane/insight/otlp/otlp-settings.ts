/**
 * Where results are exported to by OTLP; docs/monitoring/opentelemetry.md explains it. The exporters of
 * the SDK read the rest of their variables (headers, timeout, compression, certificates, temporality) themselves.
 */
import type { Reader, Variable } from '../../platform/settings/reading.ts'

export type OtlpSettings = {
  /** Null: none are sent. */
  metricsUrl: string | null
  tracesUrl: string | null
  metricsEveryMs: number
  spansEveryMs: number
  /** Spans that wait to be sent; what comes beyond is dropped and counted. */
  maxSpans: number
  /** Of metrics: checks, locations and states that runs of them end in. */
  maxSeries: number
  /** Variables that say which headers exports have, as the SDK reads them. */
  headers: Readonly<Record<string, string>>
}

export const otlpVariables: readonly Variable[] = [
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    default: 'unset: nothing is exported',
    meaning:
      'OTLP receiver (http/protobuf), for example http://collector:4318: final results go there as metrics, failing runs as spans',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
    default: 'OTEL_EXPORTER_OTLP_ENDPOINT/v1/metrics',
    meaning: 'whole address for metrics alone',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    default: 'OTEL_EXPORTER_OTLP_ENDPOINT/v1/traces',
    meaning: 'whole address for spans alone',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    secret: true,
    default: 'none',
    meaning: 'headers of every export, for example api-key=secret,tenant=a',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
    secret: true,
    default: 'none',
    meaning: 'headers of metrics alone, beside them',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    secret: true,
    default: 'none',
    meaning: 'headers of spans alone, beside them',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TIMEOUT',
    default: '10000',
    meaning: 'milliseconds that an export may take, with its repetitions',
  },
  { name: 'OTEL_EXPORTER_OTLP_COMPRESSION', default: 'none', meaning: 'gzip or none' },
  {
    name: 'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE',
    default: 'cumulative',
    meaning: 'cumulative, delta or lowmemory',
  },
  { name: 'OTEL_EXPORTER_OTLP_PROTOCOL', default: 'http/protobuf', meaning: 'no other is supported' },
  { name: 'OTEL_SERVICE_NAME', default: 'watchpost', meaning: 'service.name of what is exported' },
  {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    default: 'none',
    meaning: 'further attributes of the resource, for example deployment.environment.name=staging',
  },
  {
    name: 'OTEL_METRIC_EXPORT_INTERVAL',
    default: '60000',
    meaning: 'milliseconds between two exports of metrics',
  },
  {
    name: 'OTEL_BSP_SCHEDULE_DELAY',
    default: '5000',
    meaning: 'milliseconds that a span waits for others at most',
  },
  {
    name: 'OTEL_BSP_MAX_QUEUE_SIZE',
    default: '2048',
    meaning: 'spans that may wait; further ones are dropped',
  },
  { name: 'OTEL_METRICS_EXPORTER', default: 'otlp', meaning: 'otlp, or none: no metrics' },
  { name: 'OTEL_TRACES_EXPORTER', default: 'otlp', meaning: 'otlp, or none: no spans' },
  { name: 'OTEL_SDK_DISABLED', default: 'false', meaning: 'true: nothing is exported' },
]

const maxSeries = 10_000

const address = /^https?:\/\/[^\s/]+/

/** Null: nothing is exported. */
export const readOtlp = (reader: Reader): OtlpSettings | null => {
  const { text, matching } = reader
  const number = (name: string, fallback: number): number =>
    Number(matching(name, /^[1-9]\d{0,8}$/, 'a number from 1 to 999999999') ?? fallback)
  requireProtocol(reader)
  requireSdkSettings(reader)
  const base = matching('OTEL_EXPORTER_OTLP_ENDPOINT', address, 'an http or https address')
  const urlOf = (signal: 'METRICS' | 'TRACES'): string | null => {
    const own = matching(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, address, 'an http or https address')
    const isWanted = matching(`OTEL_${signal}_EXPORTER`, /^(otlp|none)$/, 'otlp or none') !== 'none'
    const shared = base === null ? null : `${base.replace(/\/+$/, '')}/v1/${signal.toLowerCase()}`
    return isWanted ? (own ?? shared) : null
  }
  const settings = {
    metricsUrl: urlOf('METRICS'),
    tracesUrl: urlOf('TRACES'),
    metricsEveryMs: number('OTEL_METRIC_EXPORT_INTERVAL', 60_000),
    spansEveryMs: number('OTEL_BSP_SCHEDULE_DELAY', 5000),
    maxSpans: number('OTEL_BSP_MAX_QUEUE_SIZE', 2048),
    maxSeries,
    headers: readHeaders(reader),
  }
  const isOff = text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true'
  return isOff || (settings.metricsUrl === null && settings.tracesUrl === null)
    ? null
    : Object.freeze(settings)
}

const readHeaders = ({ text }: Reader): OtlpSettings['headers'] =>
  Object.fromEntries(
    ['', 'METRICS_', 'TRACES_']
      .map((signal) => `OTEL_EXPORTER_OTLP_${signal}HEADERS`)
      .flatMap((name) => {
        const value = text(name)
        return value === null ? [] : [[name, value]]
      }),
  )

/** The SDK would only pass over what it cannot read. */
const requireSdkSettings = ({ matching }: Reader): void => {
  for (const signal of ['', 'METRICS_', 'TRACES_']) {
    matching(`OTEL_EXPORTER_OTLP_${signal}TIMEOUT`, /^[1-9]\d{0,8}$/, 'a number from 1 to 999999999')
    matching(`OTEL_EXPORTER_OTLP_${signal}COMPRESSION`, /^(gzip|none)$/, 'gzip or none')
  }
  matching(
    'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE',
    /^(cumulative|delta|lowmemory)$/i,
    'cumulative, delta or lowmemory',
  )
}

const requireProtocol = ({ text, problems }: Reader): void => {
  for (const signal of ['', 'METRICS_', 'TRACES_']) {
    const name = `OTEL_EXPORTER_OTLP_${signal}PROTOCOL`
    if ((text(name) ?? 'http/protobuf') !== 'http/protobuf') problems.push(`${name} must be http/protobuf`)
  }
}
