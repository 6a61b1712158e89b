/**
 * A native histogram of Prometheus that only grows: buckets without an end whose bounds grow by a fifth (schema 2: four to a doubling), of which
 * those are kept that have counted something. A quantile is right to a fifth; it is one series where a classic one has eleven. Pure.
 */
export const nativeSchema = 2
const perDoubling = 2 ** nativeSchema
/** Up to here it is the bucket of zeros: a microsecond. */
export const zeroThreshold = 0.000_001
/** Of the last bucket, which takes what is above it as well: three hours bound how many there can be. */
const lastIndex = Math.ceil(Math.log2(10_000) * perDoubling)

/** `counts` of the buckets in `indexes`, which rise; bucket `i` ends at 2 to the power of `i / 4`. */
export type NativeHistogram = { zeros: number; indexes: number[]; counts: number[] }

export const createNative = (): NativeHistogram => ({ zeros: 0, indexes: [], counts: [] })

export const observeNative = (histogram: NativeHistogram, value: number): void => {
  if (value <= zeroThreshold) histogram.zeros += 1
  else addTo(histogram, Math.min(lastIndex, Math.ceil(Math.log2(value) * perDoubling)), 1)
}

export const addNative = (to: NativeHistogram, from: NativeHistogram): void => {
  to.zeros += from.zeros
  from.indexes.forEach((index, position) => {
    addTo(to, index, from.counts[position] ?? 0)
  })
}

const addTo = ({ indexes, counts }: NativeHistogram, index: number, count: number): void => {
  let at = 0
  while (at < indexes.length && (indexes[at] ?? 0) < index) at += 1
  if (indexes[at] !== index) {
    indexes.splice(at, 0, index)
    counts.splice(at, 0, 0)
  }
  counts[at] = (counts[at] ?? 0) + count
}
