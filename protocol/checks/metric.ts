/** Numbers that runs measure, as analytics name them. */
export const units = ['milliseconds', 'score', 'count', 'percentage'] as const
export type Unit = (typeof units)[number]

export type Metric = {
  name: string
  label: string
  unit: Unit
  /**
   * Where a result keeps it: the result's own response time, the `metrics` of the observation by name, a dotted path in
   * the observation's `detail`, or a web vital by name of each page that the run opened.
   */
  from: 'responseTime' | { metric: string } | { detail: string } | { webVital: string }
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

/** A number of the short report on any check: `latency_p95` is the `latency` of an ICMP check by p95. */
export type SummaryMetric = { name: string; metric: Metric; by: readonly Aggregate[] }

export const responseTime: Metric = {
  name: 'responseTime',
  label: 'Response time',
  unit: 'milliseconds',
  from: 'responseTime',
}

/** A number that the runner puts into `metrics` of its observation, under the same name unless told otherwise. */
export const measured = (
  name: string,
  label: string,
  { unit = 'milliseconds', from = name }: { unit?: Unit; from?: string } = {},
): Metric => ({ name, label, unit, from: { metric: from } })

/** By what a summary is told. */
export const usualAggregates = ['avg', 'p50', 'p95', 'p99'] as const

export const responseTimeSummary: readonly SummaryMetric[] = [
  { name: 'responseTime', metric: responseTime, by: usualAggregates },
]
