import { Transform } from 'node:stream'
import zlib from 'node:zlib'

/** A stream of node:zlib, or one that works as it does: it counts what it has consumed. */
export type Decoder = Transform & { readonly bytesWritten: number }

/** The low half of a zlib header's first byte (RFC 1950). A raw stream (RFC 1951) does not begin so. */
const zlibMethod = 8

/**
 * Undoes the coding that HTTP calls `deflate`. That is zlib's format (RFC 9110 section 8.4.1.2), but servers also send the raw
 * stream by that name, and all clients take both.
 */
export const createAnyInflate = (): Decoder => {
  let inner: Decoder | null = null
  let ended = false
  const outer = new Transform({
    transform: (part: Buffer, _encoding, done) => {
      if (part.length === 0) return done()
      inner ??= open(part[0] as number)
      inner.write(part, done)
    },
    flush: (done) => {
      if (inner === null || ended) return done()
      inner.once('end', () => done())
      inner.end()
    },
    destroy: (error, done) => {
      inner?.destroy()
      done(error)
    },
  })
  const open = (firstByte: number): Decoder => {
    const chosen = (firstByte & 15) === zlibMethod ? zlib.createInflate() : zlib.createInflateRaw()
    chosen.on('data', (part: Buffer) => {
      if (!outer.push(part)) chosen.pause()
    })
    chosen.on('end', () => {
      ended = true
      outer.push(null)
    })
    chosen.on('error', (error) => outer.destroy(error))
    return chosen
  }
  const read = outer._read.bind(outer)
  outer._read = (size) => {
    inner?.resume()
    read(size)
  }
  return Object.defineProperty(outer, 'bytesWritten', { get: () => inner?.bytesWritten ?? 0 }) as Decoder
}
