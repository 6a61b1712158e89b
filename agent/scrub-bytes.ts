import { hidden, needlesOf } from './scrub.ts'

/** Takes secrets out of bytes that come in pieces: what a piece ends with may be the start of one. */
export type ByteScrubber = {
  push(bytes: Uint8Array): Buffer
  /** What was held back. */
  end(): Buffer
}

type Cut = { start: number; end: number }

/**
 * `keepsLength`: a secret is overwritten instead of replaced, for files whose offsets mean something.
 *
 * Bytes are read as Latin-1, a character each: secrets in ASCII are found as they are, others by their UTF-8 bytes.
 */
export const createByteScrubber = (secrets: Iterable<string>, keepsLength: boolean): ByteScrubber => {
  const { patterns, longest } = needlesOf(secrets)
  let held = ''

  /** Everything that ends before `limit` for certain; the rest is held back. */
  const take = (limit: number): Buffer => {
    let clean = ''
    let done = 0
    for (const { start, end } of joined(patterns.flatMap((pattern) => cutsOf(held, pattern)))) {
      if (start >= limit) break
      clean += held.slice(done, start) + (keepsLength ? '*'.repeat(end - start) : hidden)
      done = end
    }
    const sure = Math.max(done, limit)
    clean += held.slice(done, sure)
    held = held.slice(sure)
    return Buffer.from(clean, 'latin1')
  }

  if (patterns.length === 0) return { push: (bytes) => Buffer.from(bytes), end: () => Buffer.alloc(0) }
  return {
    push: (bytes) => {
      held += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
      return take(Math.max(0, held.length - longest))
    },
    end: () => take(held.length),
  }
}

const cutsOf = (text: string, pattern: RegExp): Cut[] =>
  [...text.matchAll(pattern)].map((match) => ({ start: match.index, end: match.index + match[0].length }))

/** In order, those that touch as one. */
const joined = (cuts: Cut[]): Cut[] => {
  const all: Cut[] = []
  for (const cut of cuts.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1)
    if (last !== undefined && cut.start <= last.end) last.end = Math.max(last.end, cut.end)
    else all.push({ ...cut })
  }
  return all
}
