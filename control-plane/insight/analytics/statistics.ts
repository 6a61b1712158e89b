import type { Aggregate } from '../../../protocol/checks/metric.ts'
import {
  addSketch,
  addValue,
  deviationOf,
  newSketch,
  rankOf,
  type Sketch,
  valueAt,
} from '../../monitoring/results/rollups/sketch.ts'

/**
 * How the values of one number lie: all of them, or a sketch, or both where some hours were read as they are and others are
 * counted in rollups.
 */
export type Distribution = { values: number[]; sketch: Sketch | null }

export const newDistribution = (): Distribution => ({ values: [], sketch: null })

/**
 * Aggregates of a distribution; null for an empty one. A percentile is the value at rank ⌊q(n−1)⌋ in ascending order,
 * from 0: exactly, or within 1 % where a sketch is part of it. All else is exact; `stddev` is the population's. The values are sorted once
 * for all percentiles. Pure.
 */
export const aggregatesOf = ({ values, sketch }: Distribution): ((by: Aggregate) => number | null) =>
  sketch === null ? ofValues(values) : ofSketch(withValues(sketch, values))

const percentiles: Partial<Record<Aggregate, number>> = {
  median: 0.5,
  p50: 0.5,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
}

const ofValues = (values: readonly number[]): ((by: Aggregate) => number | null) => {
  let ascending: Float64Array | undefined
  return (by) => {
    if (values.length === 0) return null
    if (!(by in percentiles)) return rounded(simple[by as keyof typeof simple](values))
    ascending ??= sorted(values)
    return rounded(ascending[rankOf(percentiles[by] ?? 0.5, ascending.length)] ?? 0)
  }
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

const mean = (values: readonly number[]): number => total(values) / values.length

const simple = {
  avg: mean,
  sum: total,
  min: (values: readonly number[]): number => values.reduce((min, value) => Math.min(min, value)),
  max: (values: readonly number[]): number => values.reduce((max, value) => Math.max(max, value)),
  stddev: (values: readonly number[]): number => {
    const center = mean(values)
    return Math.sqrt(mean(values.map((value) => (value - center) ** 2)))
  },
}

const sorted = (values: readonly number[]): Float64Array => Float64Array.from(values).sort()

const withValues = (sketch: Sketch, values: readonly number[]): Sketch => {
  if (values.length === 0) return sketch
  const sum = newSketch()
  addSketch(sum, sketch)
  for (const value of values) addValue(sum, value)
  return sum
}

const ofSketch =
  (sketch: Sketch) =>
  (by: Aggregate): number | null => {
    if (sketch.n === 0) return null
    const fraction = percentiles[by]
    if (fraction !== undefined) return rounded(valueAt(sketch, fraction))
    return rounded(sums[by as keyof typeof sums](sketch))
  }

const sums = {
  avg: ({ sum, n }: Sketch): number => sum / n,
  sum: ({ sum }: Sketch): number => sum,
  min: ({ min }: Sketch): number => min,
  max: ({ max }: Sketch): number => max,
  stddev: deviationOf,
}

/** Thousandths: more would be noise, and would differ between ways of adding up. */
export const rounded = (value: number): number => Math.round(value * 1000) / 1000
