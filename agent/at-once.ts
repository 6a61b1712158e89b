/** Above this share of its time, a process that has no pause is what its runs wait for. */
const saturated = 0.9
/** Enough to keep one thread busy while each run waits for its target. */
const leastAtOnce = 32

export const isSaturated = (busy: number): boolean => busy >= saturated

/**
 * How many runs may be in flight from now on, of `most`, by how busy this process was. When nothing but ourselves holds
 * runs up, more of them at once only wait for each other: that would be measured as time of their targets, and costs more
 * for each of them. Halves and doubles, so that it is back within a second.
 */
export const nextAtOnce = (atOnce: number, busy: number, most: number): number =>
  isSaturated(busy)
    ? Math.max(Math.min(leastAtOnce, most), Math.floor(atOnce / 2))
    : Math.min(most, atOnce * 2)
