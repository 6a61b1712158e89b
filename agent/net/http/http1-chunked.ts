import { malformedResponse, type ProtocolViolation } from './http1-head.ts'

const maxLineBytes = 8 * 1024
const maxTrailerBytes = 64 * 1024

const sizeLine = /^([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?$/

/**
 * Reads the chunked transfer coding (RFC 9112 section 7.1); trailer fields are read and dropped.
 * The returned function takes the next bytes and says whether the body is complete.
 */
export const createChunkedReader = (
  body: (part: Buffer) => void,
): ((bytes: Buffer) => 'more' | 'done' | ProtocolViolation) => {
  let state: 'size' | 'data' | 'data-end' | 'trailer' | 'done' = 'size'
  let line = ''
  let remaining = 0
  let trailerBytes = 0

  /** The line that ends in these bytes, or null when it goes on; `next` is where to read on. */
  const readLine = (bytes: Buffer, from: number): { text: string | null; next: number } => {
    const end = bytes.indexOf(10, from)
    const stop = end === -1 ? bytes.length : end
    line += bytes.toString('latin1', from, Math.min(stop, from + maxLineBytes + 1))
    if (end === -1) return { text: null, next: bytes.length }
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    line = ''
    return { text, next: end + 1 }
  }

  const takeLine = (text: string): ProtocolViolation | null => {
    if (state === 'size') {
      const size = sizeLine.exec(text)
      if (size === null) return malformedResponse('sent a chunk without a valid size')
      remaining = Number.parseInt(size[1] as string, 16)
      state = remaining === 0 ? 'trailer' : 'data'
    } else if (state === 'data-end') {
      if (text !== '') return malformedResponse('sent a chunk that is longer than its size')
      state = 'size'
    } else {
      trailerBytes += text.length
      if (trailerBytes > maxTrailerBytes) return malformedResponse('sent too many trailers')
      if (text === '') state = 'done'
    }
    return null
  }

  return (bytes) => {
    let at = 0
    while (at < bytes.length && state !== 'done') {
      if (state === 'data') {
        const part = bytes.subarray(at, at + remaining)
        remaining -= part.length
        at += part.length
        body(part)
        if (remaining === 0) state = 'data-end'
        continue
      }
      const { text, next } = readLine(bytes, at)
      at = next
      if (line.length > maxLineBytes || (text ?? '').length > maxLineBytes)
        return malformedResponse('sent a chunk line that is too long')
      const problem = text === null ? null : takeLine(text)
      if (problem !== null) return problem
    }
    return state === 'done' ? 'done' : 'more'
  }
}
