/**
 * How the values of many runs lie, in a few dozen bytes: a histogram whose bins grow by a constant factor, so that the value
 * at any rank is known within 1 %. Two of them added are the one of all their values, whatever the order. Count, sum, sum of
 * squares, minimum and maximum are those of the values themselves. Pure.
 */

/** Counts of neighbouring bins, the first of which is `first`. */
export type Bins = { first: number; counts: number[] }

export type Sketch = {
  n: number
  sum: number
  squares: number
  min: number
  max: number
  zeros: number
  positive: Bins
  /** By magnitude. */
  negative: Bins
}

export const relativeError = 0.01
const growth = (1 + relativeError) / (1 - relativeError)
const logGrowth = Math.log(growth)
/** Of a bin: what is between its ends, as far from both in proportion. */
const middle = 2 / (growth + 1)
/** Nearer to zero is zero: answers are rounded to thousandths. */
const smallest = 1e-9

const newBins = (): Bins => ({ first: 0, counts: [] })

export const newSketch = (): Sketch => ({
  n: 0,
  sum: 0,
  squares: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  zeros: 0,
  positive: newBins(),
  negative: newBins(),
})

export const addValue = (sketch: Sketch, value: number): void => {
  sketch.n += 1
  sketch.sum += value
  sketch.squares += value * value
  if (value < sketch.min) sketch.min = value
  if (value > sketch.max) sketch.max = value
  const size = Math.abs(value)
  if (size < smallest) sketch.zeros += 1
  else addCount(value > 0 ? sketch.positive : sketch.negative, Math.ceil(Math.log(size) / logGrowth), 1)
}

const addCount = (bins: Bins, index: number, count: number): void => {
  makeRoom(bins, index, index)
  const at = index - bins.first
  bins.counts[at] = (bins.counts[at] ?? 0) + count
}

export const makeRoom = (bins: Bins, low: number, high: number): void => {
  if (bins.counts.length === 0) bins.first = low
  if (low < bins.first) {
    bins.counts = [...new Array<number>(bins.first - low).fill(0), ...bins.counts]
    bins.first = low
  }
  for (let missing = high - bins.first - bins.counts.length + 1; missing > 0; missing -= 1)
    bins.counts.push(0)
}

const addBins = (target: Bins, { first, counts }: Bins): void => {
  if (counts.length === 0) return
  makeRoom(target, first, first + counts.length - 1)
  for (const [at, count] of counts.entries())
    if (count > 0)
      target.counts[first - target.first + at] = (target.counts[first - target.first + at] ?? 0) + count
}

export const addSketch = (target: Sketch, other: Sketch): void => {
  target.n += other.n
  target.sum += other.sum
  target.squares += other.squares
  target.min = Math.min(target.min, other.min)
  target.max = Math.max(target.max, other.max)
  target.zeros += other.zeros
  addBins(target.positive, other.positive)
  addBins(target.negative, other.negative)
}

/** Which of `n` values in ascending order is meant, from 0. */
export const rankOf = (fraction: number, n: number): number => Math.floor(fraction * (n - 1))

/** Within 1 % of the value at that rank. */
export const valueAt = (sketch: Sketch, fraction: number): number => {
  const rank = rankOf(fraction, sketch.n)
  if (rank <= 0) return sketch.min
  if (rank >= sketch.n - 1) return sketch.max
  return Math.min(sketch.max, Math.max(sketch.min, estimateAt(sketch, rank)))
}

const middleOf = (index: number): number => middle * growth ** index

const estimateAt = ({ positive, negative, zeros }: Sketch, rank: number): number => {
  let left = rank
  for (let at = negative.counts.length - 1; at >= 0; at -= 1) {
    left -= negative.counts[at] ?? 0
    if (left < 0) return -middleOf(negative.first + at)
  }
  left -= zeros
  if (left < 0) return 0
  for (let at = 0; at < positive.counts.length; at += 1) {
    left -= positive.counts[at] ?? 0
    if (left < 0) return middleOf(positive.first + at)
  }
  return Number.POSITIVE_INFINITY
}

/** Of the population. Values that are all alike have none, whatever the sums lost by rounding. */
export const deviationOf = ({ n, sum, squares, min, max }: Sketch): number =>
  min === max ? 0 : Math.sqrt(Math.max(0, squares / n - (sum / n) ** 2))
