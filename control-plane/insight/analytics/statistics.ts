import type { Aggregate } from '../../../protocol/checks/metric.ts'

/**
 * Aggregates of a list of numbers; null for an empty one. Exact: percentiles interpolate linearly between the two nearest
 * ranks (type 7 of Hyndman and Fan, PostgreSQL's percentile_cont), `stddev` is the population's. The list is sorted once for
 * all percentiles. Pure.
 */
export const aggregatesOf = (values: readonly number[]): ((by: Aggregate) => number | null) => {
  let ascending: Float64Array | undefined
  return (by) => {
    if (values.length === 0) return null
    if (!(by in percentiles)) return rounded(simple[by as keyof typeof simple](values))
    ascending ??= sorted(values)
    return rounded(percentileOf(ascending, percentiles[by] ?? 0.5))
  }
}

const percentiles: Partial<Record<Aggregate, number>> = {
  median: 0.5,
  p50: 0.5,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

const mean = (values: readonly number[]): number => total(values) / values.length

const simple = {
  avg: mean,
  sum: total,
  min: (values: readonly number[]): number => values.reduce((least, value) => Math.min(least, value)),
  max: (values: readonly number[]): number => values.reduce((most, value) => Math.max(most, value)),
  stddev: (values: readonly number[]): number => {
    const center = mean(values)
    return Math.sqrt(mean(values.map((value) => (value - center) ** 2)))
  },
}

const sorted = (values: readonly number[]): Float64Array => Float64Array.from(values).sort()

export const percentileOf = (ascending: Float64Array, fraction: number): number => {
  const rank = (ascending.length - 1) * fraction
  const below = ascending[Math.floor(rank)] ?? 0
  const above = ascending[Math.ceil(rank)] ?? below
  return below + (above - below) * (rank - Math.floor(rank))
}

/** Thousandths: more would be noise, and would differ between ways of adding up. */
export const rounded = (value: number): number => Math.round(value * 1000) / 1000
