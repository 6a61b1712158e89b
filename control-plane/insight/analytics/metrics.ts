/**
 * The metrics of analytics. A *number* is measured in a run (`responseTime`, `dns`, `LCP`); each has ten aggregates named
 * by a suffix (`responseTime_p95`). `availability`, `runs` and `retries` exist for every check type.
 */
import { type Aggregate, aggregates, type Metric, type Unit } from '../../../protocol/checks/metric.ts'

export const aggregateNames = Object.keys(aggregates) as Aggregate[]

/** Percent of the runs that passed, how many runs that is of, and the attempts beyond the first. */
const commonMetrics = {
  availability: { label: 'Availability', unit: 'percentage' },
  runs: { label: 'Runs', unit: 'count' },
  retries: { label: 'Retries', unit: 'count' },
} as const
export type CommonMetric = keyof typeof commonMetrics
export const commonNames = Object.keys(commonMetrics) as CommonMetric[]

/** A metric as it was asked for: `responseTime_p95` is the number `responseTime` with the aggregate `p95`. */
export type AskedMetric<M extends Metric = Metric> = { name: string } & (
  | { common: CommonMetric }
  | { number: M; aggregate: Aggregate | null }
)

const findMetric = <M extends Metric>(numbers: readonly M[], name: string): AskedMetric<M> | undefined => {
  if (Object.hasOwn(commonMetrics, name)) return { name, common: name as CommonMetric }
  for (const number of numbers) {
    if (number.name === name) return { name, number, aggregate: null }
    const aggregate = aggregateNames.find((suffix) => `${number.name}_${suffix}` === name)
    if (aggregate) return { name, number, aggregate }
  }
  return undefined
}

/** Those of the names that mean something. */
export const findMetrics = <M extends Metric>(
  numbers: readonly M[],
  names: readonly string[],
): AskedMetric<M>[] => names.flatMap((name) => findMetric(numbers, name) ?? [])

export const metricNames = (numbers: readonly Metric[]): string[] => [
  ...commonNames,
  ...numbers.flatMap(({ name }) => [name, ...aggregateNames.map((suffix) => `${name}_${suffix}`)]),
]

/** Without `aggregation`: nothing is aggregated. */
type MetricMetadata = { unit: Unit; label: string; aggregation?: string }

/** `perRun`: rows are runs, so that nothing is aggregated. A number without a suffix is averaged otherwise. */
export const metadataOf = (metric: AskedMetric, perRun: boolean): MetricMetadata => {
  if ('common' in metric) {
    const aggregation = metric.common === 'availability' ? 'avg' : 'sum'
    return { ...commonMetrics[metric.common], ...(perRun ? {} : { aggregation }) }
  }
  const { number, aggregate } = metric
  if (aggregate === null)
    return { unit: number.unit, label: number.label, ...(perRun ? {} : { aggregation: 'avg' }) }
  return { unit: number.unit, label: `${number.label} (${aggregates[aggregate]})`, aggregation: aggregate }
}
