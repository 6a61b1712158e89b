/** How many rows a piece of a long read takes, by how long the last one took. Pure. */
import type { Engine } from '../store/database/engines.ts'

/** A synchronous store stops everything else for the time of a piece; of another one most of it is waiting. */
export const pieceMsOf = ({ holdsProcess }: Pick<Engine, 'holdsProcess'>): number => (holdsProcess ? 5 : 100)

export const firstSize = 250
/** More is not worth it: a piece costs a twentieth of a millisecond beside its rows. A cold file may be far slower than the last piece was. */
const largestSize = 2000
const smallestSize = 50

export const nextSize = (size: number, { tookMs, pieceMs }: { tookMs: number; pieceMs: number }): number => {
  if (tookMs > pieceMs) return Math.max(smallestSize, Math.floor(size / 2))
  return tookMs < pieceMs / 2 ? Math.min(largestSize, size * 2) : size
}
