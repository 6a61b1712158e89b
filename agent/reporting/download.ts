import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Connection } from './call.ts'

type Download = {
  name: string
  path: string
  to: string
  maxBytes: number
  more?: Record<string, string>
  signal: AbortSignal
}
export type Downloaded = { bytes: number; sha256: string } | { problem: string; missing: boolean }

/** Without a byte for so long it is given up. */
const idleMs = 60_000

/** A file of the control plane, written to `to` as it comes. Whoever asked compares it with what was announced. */
export const download = async (connection: Connection, request: Download): Promise<Downloaded> => {
  const { dispatcher, origin, prefix, headers, io, observe } = connection
  const startedAt = io.clock.monotonic()
  const hash = createHash('sha256')
  let bytes = 0
  const counted = new Transform({
    transform: (part: Buffer, _, done) => {
      bytes += part.length
      hash.update(part)
      done(bytes > request.maxBytes ? new Error('it is larger than announced') : null, part)
    },
  })
  const observed = (outcome: string): void =>
    observe(request.name, (io.clock.monotonic() - startedAt) / 1000, outcome)
  try {
    const { statusCode, body } = await dispatcher.request({
      ...{ origin, path: prefix + request.path, method: 'GET', signal: request.signal },
      headers: { authorization: headers['authorization'] as string, ...request.more },
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
    })
    if (statusCode !== 200) {
      await body.dump()
      observed('refused')
      return { problem: `status ${statusCode}`, missing: statusCode === 404 }
    }
    await pipeline(body, counted, createWriteStream(request.to, { flags: 'wx', mode: 0o600 }))
    observed('ok')
    return { bytes, sha256: hash.digest('hex') }
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason
    observed('unreachable')
    return { problem: (error as Error).message, missing: false }
  }
}
