import { Readable } from 'node:stream'
import type { Semaphore } from '../../../../protocol/semaphore.ts'
import { ArtifactError } from './artifact-error.ts'

type ByteRange = { start: number; end: number }

type Pieces = {
  /** Null when there is no such piece. */
  get(index: number, range: ByteRange): Promise<Uint8Array | null>
  /** Of each piece but the last. */
  pieceBytes: number
  /** What all readers hold in memory together, beside a small slice each. */
  memory: Semaphore
}

const sliceBytes = 1024 * 1024
/** Where many read slowly. */
const smallSliceBytes = 64 * 1024

/** The bytes of a range that holds some, fetched as they are read; null when there is no such file. */
export const readPieces = async (pieces: Pieces, range: ByteRange): Promise<Readable | null> => {
  const slices = readSlices(pieces, range)
  // The answer's status depends on whether there is anything.
  const first = await slices.next()
  if (first.done) return null
  const all = async function* () {
    try {
      yield first.value
      yield* slices
    } finally {
      await slices.return()
    }
  }
  return Readable.from(all(), { objectMode: false, highWaterMark: 1 })
}

async function* readSlices(
  { get, pieceBytes, memory }: Pieces,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array, void> {
  for (let at = start; at < end; ) {
    const release = memory.tryAcquire(sliceBytes)
    try {
      const index = Math.floor(at / pieceBytes)
      const max = Math.min(
        end - at,
        (index + 1) * pieceBytes - at,
        release === null ? smallSliceBytes : sliceBytes,
      )
      const from = at - index * pieceBytes
      const slice = await get(index, { start: from, end: from + max })
      if (slice === null && at === start) return
      if (slice?.length !== max) throw new ArtifactError('away', 'an object is shorter than it was')
      yield slice
      at += max
    } finally {
      release?.()
    }
  }
}
