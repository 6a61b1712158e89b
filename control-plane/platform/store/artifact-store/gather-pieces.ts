import type { Release, Semaphore } from '../../../../protocol/semaphore.ts'
import { ArtifactError } from './artifact-error.ts'
import { type Pauses, withPauses } from './with-pauses.ts'

type Gathering = {
  /** Bytes of a piece. */
  size: number
  /** What the first piece begins with. */
  first: Uint8Array
  /** What all gatherings hold in memory together. */
  memory: Semaphore
  /** When nothing comes for so long, what is there is a piece for now. */
  pauses: Pauses
}

/**
 * Joins bytes into pieces of a size as they come. One that is not full comes again, longer, unless it is the last. What had
 * come before a failure is a piece before that is thrown.
 * @throws ArtifactError when there is no memory left
 */
export async function* gatherPieces(
  chunks: AsyncIterable<Uint8Array>,
  gathering: Gathering,
): AsyncGenerator<Uint8Array> {
  const piece = createPiece(gathering)
  try {
    piece.begin()
    for await (const chunk of withPauses(chunks, gathering.pauses))
      yield* chunk === 'pause' ? piece.news() : piece.add(chunk)
    yield* piece.news()
  } catch (error) {
    yield* piece.news()
    throw error
  } finally {
    piece.close()
  }
}

type Piece = {
  begin(): void
  /** The pieces that it fills. */
  add(chunk: Uint8Array): Generator<Uint8Array>
  /** The one that is not full, if there is more in it than was shown. */
  news(): Generator<Uint8Array>
  close(): void
}

const createPiece = ({ size, first, memory }: Omit<Gathering, 'pauses'>): Piece => {
  let parts = [first]
  let [length, shown] = [first.length, first.length]
  const held: Release[] = []
  const take = (bytes: number): void => {
    const release = memory.tryAcquire(bytes)
    if (release === null) throw new ArtifactError('busy', 'try again')
    held.push(release)
  }
  const giveBack = (): void => {
    for (const release of held.splice(0)) release()
  }
  const keepOnly = (rest: Uint8Array): void => {
    giveBack()
    take(rest.length)
    parts = [rest]
    length = rest.length
    shown = 0
  }
  return {
    begin: () => take(first.length),
    *add(chunk) {
      take(chunk.length)
      parts.push(chunk)
      length += chunk.length
      while (length >= size) {
        const all = Buffer.concat(parts, length)
        yield all.subarray(0, size)
        keepOnly(all.subarray(size))
      }
    },
    *news() {
      if (length === shown) return
      shown = length
      yield Buffer.concat(parts, length)
    },
    close: giveBack,
  }
}
