/** A histogram that only grows. Few buckets: each is a line of the answer for each check and phase. */
import { addNative, createNative, type NativeHistogram, observeNative } from './native-histogram.ts'

export const secondsBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10] as const
export const longBuckets = [0.5, 1, 2.5, 5, 10, 30, 60, 240] as const
export const countBuckets = [0, 1, 2, 5, 10, 50] as const

/** `counts`: of each bucket for itself, the last for what is above all bounds. `native`: since somebody asked for native ones. */
export type Histogram = {
  bounds: readonly number[]
  counts: Float64Array
  sum: number
  native: NativeHistogram | null
}

export const createHistogram = (bounds: readonly number[]): Histogram => ({
  bounds,
  counts: new Float64Array(bounds.length + 1),
  sum: 0,
  native: null,
})

export const observe = (histogram: Histogram, value: number, isNative: boolean): void => {
  const found = histogram.bounds.findIndex((bound) => value <= bound)
  const bucket = found === -1 ? histogram.bounds.length : found
  histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1
  histogram.sum += value
  if (!isNative) return
  histogram.native ??= createNative()
  observeNative(histogram.native, value)
}

export const addHistogram = (to: Histogram, from: Histogram): void => {
  from.counts.forEach((count, bucket) => {
    to.counts[bucket] = (to.counts[bucket] ?? 0) + count
  })
  to.sum += from.sum
  if (from.native === null) return
  to.native ??= createNative()
  addNative(to.native, from.native)
}
