import type { Readable } from 'node:stream'

const maxBytes = 8000

/** Reads a stream to its end and keeps the start of it as text, with a note on what is missing. */
export const readChildOutput = (stream: Readable): (() => string) => {
  const parts: Buffer[] = []
  let kept = 0
  let total = 0
  stream.on('data', (part: Buffer) => {
    total += part.length
    if (kept >= maxBytes) return
    const piece = part.subarray(0, maxBytes - kept)
    parts.push(piece)
    kept += piece.length
  })
  // The process is gone; what it had said by then counts.
  stream.on('error', () => undefined)
  return () => {
    const text = Buffer.concat(parts).toString().trimEnd()
    return total <= maxBytes ? text : `${text}… (${total} bytes)`
  }
}
