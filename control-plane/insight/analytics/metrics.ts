/**
 * The metrics of analytics. A *number* is measured in a run (`responseTime`, `dns`, `LCP`); each has ten aggregates named
 * by a suffix (`responseTime_p95`). `availability` and `retries` exist for every check type.
 */
import type { Part, Sample } from './sample.ts'

export type Unit = 'milliseconds' | 'score' | 'count' | 'percentage'

export type NumberMetric = {
  name: string
  label: string
  unit: Unit
  part: Part | null
  /** What one run measured; several values where a run has several pages. */
  read: (sample: Sample) => number[]
}

export const aggregates = {
  avg: 'average',
  max: 'maximum',
  median: 'median',
  min: 'minimum',
  p50: '50th percentile',
  p90: '90th percentile',
  p95: '95th percentile',
  p99: '99th percentile',
  stddev: 'standard deviation',
  sum: 'sum',
} as const
export type Aggregate = keyof typeof aggregates
export const aggregateNames = Object.keys(aggregates) as Aggregate[]

/** Percent of the runs that passed, and the attempts beyond the first. */
export const commonMetrics = {
  availability: { label: 'Availability', unit: 'percentage' },
  retries: { label: 'Retries', unit: 'count' },
} as const
export type CommonMetric = keyof typeof commonMetrics
export const commonNames = Object.keys(commonMetrics) as CommonMetric[]

const finite = (value: unknown): number[] =>
  typeof value === 'number' && Number.isFinite(value) ? [value] : []

export const responseTime: NumberMetric = {
  name: 'responseTime',
  label: 'Response time',
  unit: 'milliseconds',
  part: null,
  read: ({ responseTime: value }) => [value],
}

/** A number that the runner put into `metrics` of its observation, under the same name unless told otherwise. */
export const measured = (
  name: string,
  label: string,
  more: { unit?: Unit; from?: string } = {},
): NumberMetric => ({
  name,
  label,
  unit: more.unit ?? 'milliseconds',
  part: 'metrics',
  read: ({ metrics }) => finite(metrics[more.from ?? name]),
})

/** Of every page that the run opened, or of one when grouped by page. */
export const webVital = (name: string, label: string, unit: Unit): NumberMetric => ({
  name,
  label,
  unit,
  part: 'pages',
  read: ({ pages }) => pages.flatMap(({ webVitals }) => finite(webVitals?.[name]?.value)),
})

export const traceCount = (name: string, label: string): NumberMetric => ({
  name,
  label,
  unit: 'count',
  part: 'traceSummary',
  read: ({ traceSummary }) => finite(traceSummary[name]),
})

export const daysUntilExpiry: NumberMetric = {
  name: 'daysUntilExpiry',
  label: 'Days until the certificate expires',
  unit: 'count',
  part: 'certificate',
  read: ({ certificate }) => finite(certificate.daysRemaining),
}

/** A metric as it was asked for: `responseTime_p95` is the number `responseTime` with the aggregate `p95`. */
export type AskedMetric = { name: string } & (
  | { common: CommonMetric }
  | { number: NumberMetric; aggregate: Aggregate | null }
)

export const findMetric = (numbers: readonly NumberMetric[], name: string): AskedMetric | undefined => {
  if (Object.hasOwn(commonMetrics, name)) return { name, common: name as CommonMetric }
  for (const number of numbers) {
    if (number.name === name) return { name, number, aggregate: null }
    const aggregate = aggregateNames.find((suffix) => `${number.name}_${suffix}` === name)
    if (aggregate) return { name, number, aggregate }
  }
  return undefined
}

export const metricNames = (numbers: readonly NumberMetric[]): string[] => [
  ...commonNames,
  ...numbers.flatMap(({ name }) => [name, ...aggregateNames.map((suffix) => `${name}_${suffix}`)]),
]

export type MetricMetadata = { unit: Unit; label: string; aggregation: string }

/** `perRun`: rows are runs, so that nothing is aggregated. A number without a suffix is averaged otherwise. */
export const metadataOf = (metric: AskedMetric, perRun: boolean): MetricMetadata => {
  if ('common' in metric) {
    const aggregation = perRun ? 'none' : metric.common === 'availability' ? 'avg' : 'sum'
    return { ...commonMetrics[metric.common], aggregation }
  }
  const { number, aggregate } = metric
  if (aggregate === null)
    return { unit: number.unit, label: number.label, aggregation: perRun ? 'none' : 'avg' }
  return { unit: number.unit, label: `${number.label} (${aggregates[aggregate]})`, aggregation: aggregate }
}
