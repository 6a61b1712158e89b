/** How many rows a piece of a long read takes, by how long the last one took. Pure. */

/** A synchronous store stops everything else for the time of a piece. */
export const pieceMs = 5

export const firstSize = 250
/** More is not worth it: a piece costs a twentieth of a millisecond beside its rows. A cold file may be far slower than the last piece was. */
const largestSize = 2000
const smallestSize = 20

export const nextSize = (size: number, tookMs: number): number => {
  if (tookMs > pieceMs) return Math.max(smallestSize, Math.floor(size / 2))
  return tookMs < pieceMs / 2 ? Math.min(largestSize, size * 2) : size
}
