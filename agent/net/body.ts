import type { Transform } from 'node:stream'
import zlib from 'node:zlib'

/** Bytes of a body that are read at most, before and after decompression. */
export const maxBodyBytes = 25 * 1024 * 1024

/**
 * `bytes` is the start of the decoded body; `bodyBytes` how long it is; `truncated` whether the cap stopped it.
 * `rewritten`: a script has made it, as UTF-8, whatever charset its headers name.
 */
export type KeptBody = { bytes: Buffer; bodyBytes: number; truncated: boolean; rewritten?: boolean }

export type BodyProblem = { code: string; message: string }

export type BodyKeeper = {
  /** `full`: the cap is reached, stop reading. */
  add(part: Buffer): 'more' | 'full'
  end(): Promise<{ body: KeptBody; problem: BodyProblem | null }>
}

const decoders: Record<string, () => Transform> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
}

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
  const kept = createCounter(keepBytes)
  return {
    add: (part) => kept.add(part),
    end: async () => ({ body: kept.body(), problem: null }),
  }
}

const keepDecoded = (codings: string[], keepBytes: number): BodyKeeper => {
  const kept = createCounter(keepBytes)
  const chain = codings.map((coding) => (decoders[coding] as () => Transform)())
  const first = chain[0] as Transform
  const last = chain[chain.length - 1] as Transform
  let received = 0
  let problem: BodyProblem | null = null
  let settled = false
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
      if (kept.add(part) === 'full') stop()
    })
    last.on('end', stop)
  })
  return {
    add: (part) => {
      received += part.length
      if (settled) return kept.body().truncated ? 'full' : 'more'
      first.write(part)
      return received > maxBodyBytes ? 'full' : 'more'
    },
    end: async () => {
      // HEAD and 304 announce a coding without a body.
      if (received === 0) for (const decoder of chain) decoder.destroy()
      else {
        if (!settled) first.end()
        await finished
      }
      const cut = received > maxBodyBytes
      const body = kept.body()
      return { body: { ...body, truncated: body.truncated || cut }, problem: cut ? null : problem }
    },
  }
}

const createCounter = (keepBytes: number) => {
  const parts: Buffer[] = []
  let keptBytes = 0
  let total = 0
  let truncated = false
  return {
    add: (part: Buffer): 'more' | 'full' => {
      const room = maxBodyBytes - total
      truncated ||= part.length > room
      total += Math.min(part.length, room)
      if (keptBytes < keepBytes) {
        const piece = part.subarray(0, Math.min(keepBytes - keptBytes, room))
        parts.push(piece)
        keptBytes += piece.length
      }
      return truncated ? 'full' : 'more'
    },
    body: (): KeptBody => ({
      bytes: parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts),
      bodyBytes: total,
      truncated,
    }),
  }
}
