/** The answer to a scrape, packed for whoever can unpack it, as Prometheus can: its labels are the same text again and again. */
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Piece } from './families.ts'

type ScrapeBody = { body: Readable; headers: Record<string, string> }

/** The fastest level leaves a twentieth of it; the work is another thread's. */
const level = 1
/** Of a piece, so that few are on their way between the threads. */
const chunkSize = 64 * 1024

export const scrapeBody = (pieces: AsyncIterable<Piece>, encodings = ''): ScrapeBody => {
  const text = Readable.from(pieces, { objectMode: false })
  if (!/\bgzip\b/.test(encodings)) return { body: text, headers: {} }
  // Whoever reads the packed stream is told of an error by it.
  const body = pipeline(text, createGzip({ level, chunkSize }), () => undefined)
  return { body, headers: { 'content-encoding': 'gzip' } }
}
