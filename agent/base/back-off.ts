const firstMs = 500
const longestMs = 30_000

/**
 * How long to wait after a number of failures in a row, in milliseconds: doubling from half a second to half a minute,
 * of which a random half is kept, so that agents that failed together do not come back together.
 */
export const backOffMs = (failures: number, random: number): number => {
  const ceiling = Math.min(longestMs, firstMs * 2 ** Math.min(20, Math.max(0, failures - 1)))
  return Math.round(ceiling / 2 + (ceiling / 2) * random)
}
