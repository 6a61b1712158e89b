import zlib from 'node:zlib'
import { createAnyInflate, type Decoder } from './inflate.ts'

/** Bytes of a body that are read at most, before and after decompression. */
export const maxBodyBytes = 25 * 1024 * 1024

/**
 * Decoding costs more than anything else that a target can make us do. Where nobody looks at more than a body's start, what
 * decodes to more than `suspiciousBytes` and to more than `bombRatio` times its own size is received but decoded no further.
 * What people and programs write shrinks to a twentieth at best; deflate can do a thousandth.
 */
const suspiciousBytes = 1024 * 1024
const bombRatio = 100

/**
 * `bytes` is the start of the decoded body; `bodyBytes` how much was decoded; `truncated` whether there was more.
 * `rewritten`: a script has made it, as UTF-8, whatever charset its headers name.
 */
export type RetainedBody = { bytes: Buffer; bodyBytes: number; truncated: boolean; rewritten?: boolean }

/** What was wrong with a body. `message` continues a sentence that starts with the server's name. */
type BodyError = { code: string; message: string }

/** Takes in the body of one response. */
export type BodyKeeper = {
  /** `full`: the cap is reached, stop reading. The bytes are the caller's again afterwards. */
  add(part: Buffer): 'more' | 'full'
  end(): Promise<{ body: RetainedBody; problem: BodyError | null }>
}

const decoders: Record<string, () => Decoder> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: createAnyInflate,
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
}

/** What we can undo, as Accept-Encoding says it. */
export const acceptedEncodings = 'gzip, deflate, br, zstd'

/** Undoes the content codings (RFC 9110 section 8.4), counts, and keeps the first `keepBytes`. */
export const createBodyKeeper = (
  contentEncoding: string | string[] | undefined,
  keepBytes: number,
): BodyKeeper => {
  const codings = [contentEncoding ?? '']
    .flat()
    .flatMap((value) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  const known = codings.length <= 3 && codings.every((coding) => coding in decoders)
  // An unknown coding is shown as it came.
  return codings.length === 0 || !known ? keepPlain(keepBytes) : keepDecoded(codings.reverse(), keepBytes)
}

const keepPlain = (keepBytes: number): BodyKeeper => {
  const retained = createCounter(keepBytes)
  return {
    add: (part) => retained.add(part),
    end: async () => ({ body: retained.body(), problem: null }),
  }
}

const keepDecoded = (codings: string[], keepBytes: number): BodyKeeper => {
  const retained = createCounter(keepBytes)
  const chain = codings.map((coding) => (decoders[coding] as () => Decoder)())
  const first = chain[0] as Decoder
  const last = chain[chain.length - 1] as Decoder
  const looksAtStartOnly = keepBytes < maxBodyBytes
  let received = 0
  let decoded = 0
  let problem: BodyError | null = null
  let settled = false
  let isFull = false
  let isBomb = false
  const finished = new Promise<void>((resolve) => {
    const stop = (): void => {
      settled = true
      for (const decoder of chain) decoder.destroy()
      resolve()
    }
    for (const [index, decoder] of chain.entries()) {
      const next = chain[index + 1]
      if (next !== undefined) decoder.pipe(next)
      decoder.on('error', () => {
        if (settled) return
        problem = { code: 'CONTENT_DECODING', message: `sent a body that is not valid ${codings[index]}` }
        stop()
      })
    }
    last.on('data', (part: Buffer) => {
      decoded += part.length
      isFull = retained.add(part) === 'full'
      isBomb = looksAtStartOnly && decoded > suspiciousBytes && decoded > bombRatio * first.bytesWritten
      if (isFull || isBomb) stop()
    })
    last.on('end', stop)
  })
  return {
    add: (part) => {
      received += part.length
      if (!settled) first.write(Buffer.from(part))
      return isFull || received > maxBodyBytes ? 'full' : 'more'
    },
    end: async () => {
      // HEAD and 304 announce a coding without a body.
      if (received === 0) for (const decoder of chain) decoder.destroy()
      else {
        if (!settled) first.end()
        await finished
      }
      const isCut = received > maxBodyBytes
      const body = retained.body()
      return {
        body: { ...body, truncated: body.truncated || isCut || isBomb },
        problem: isCut ? null : problem,
      }
    },
  }
}

const createCounter = (keepBytes: number) => {
  const parts: Buffer[] = []
  let retainedBytes = 0
  let total = 0
  let truncated = false
  return {
    add: (part: Buffer): 'more' | 'full' => {
      const room = maxBodyBytes - total
      truncated ||= part.length > room
      total += Math.min(part.length, room)
      if (retainedBytes < keepBytes) {
        const piece = Buffer.from(part.subarray(0, Math.min(keepBytes - retainedBytes, room)))
        parts.push(piece)
        retainedBytes += piece.length
      }
      return truncated ? 'full' : 'more'
    },
    body: (): RetainedBody => ({
      bytes: parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts),
      bodyBytes: total,
      truncated,
    }),
  }
}
