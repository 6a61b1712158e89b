import type { Cut } from '../../protocol/secrets/find-secrets.ts'
import { finderOf } from './hidden-values.ts'
import { hidden } from './scrub.ts'

/** Takes secrets out of bytes that come in pieces: what a piece ends with may be the start of one. */
type ByteScrubber = {
  push(bytes: Uint8Array): Buffer
  /** What was held back. */
  end(): Buffer
}

/**
 * `keepsLength`: a secret is overwritten instead of replaced, for files whose offsets mean something.
 *
 * Bytes are read as characters of their own and as those of UTF-8 and UTF-16.
 */
export const createByteScrubber = (secrets: Iterable<string>, keepsLength: boolean): ByteScrubber => {
  const finder = finderOf(secrets)
  if (finder === null) return { push: (bytes) => Buffer.from(bytes), end: () => Buffer.alloc(0) }
  let parts: Uint8Array[] = []
  let held = 0

  /** All that begins `behind` bytes before the end or earlier; the rest is held back. */
  const take = (behind: number): Buffer => {
    const bytes = Buffer.concat(parts)
    const until = bytes.length - behind
    const cuts = finder.inBytes(bytes, until)
    const sure = Math.max(until, cuts.at(-1)?.end ?? 0)
    parts = [bytes.subarray(sure)]
    held = bytes.length - sure
    return withoutCuts(bytes.subarray(0, sure), cuts, keepsLength)
  }

  return {
    push: (bytes) => {
      parts.push(Buffer.from(bytes))
      held += bytes.length
      // With less than that, what is held back would be searched again for every piece.
      return held < 2 * finder.reach ? Buffer.alloc(0) : take(finder.reach)
    },
    end: () => take(0),
  }
}

const withoutCuts = (bytes: Buffer, cuts: readonly Cut[], keepsLength: boolean): Buffer => {
  if (cuts.length === 0) return bytes
  if (keepsLength) {
    for (const { start, end } of cuts) bytes.fill('*', start, end)
    return bytes
  }
  const clean: Buffer[] = []
  let done = 0
  for (const { start, end } of cuts) {
    clean.push(bytes.subarray(done, start), mark)
    done = end
  }
  return Buffer.concat([...clean, bytes.subarray(done)])
}

const mark = Buffer.from(hidden)
