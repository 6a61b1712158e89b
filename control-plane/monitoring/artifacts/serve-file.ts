import { Readable } from 'node:stream'
import type { App } from '../../platform/app/app.ts'
import type { HasArtifacts } from '../../platform/store/artifact-store/store.ts'
import { isKnownVersion } from '../../platform/web/http/request/entity-tag.ts'
import { type Reply, reply } from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { type ByteRange, requestedRange } from './byte-range.ts'

type StoredFile = { key: string; size: number; sha256: string }
type Request = { headers: Readonly<Record<string, string | undefined>>; more?: Record<string, string> }

/**
 * A file of the store, or the range of it that is asked for; `ETag` is its hash. `more`: headers of an answer with bytes.
 * @throws ApiError 404, or 416 for a range outside of the file
 */
export const serveFile = async (
  app: App & HasArtifacts,
  { key, size, sha256 }: StoredFile,
  { headers, more = {} }: Request,
): Promise<Reply<Readable>> => {
  const tag = `"${sha256}"`
  const cacheHeaders = { etag: tag, 'cache-control': 'private, no-cache' }
  // Before any range: a client that has the file needs no part of it (RFC 9110, section 13.2.2).
  if (isKnownVersion(headers['if-none-match'], tag))
    return reply(Readable.from([]), { status: 304, headers: cacheHeaders })
  const range = requestedRange(headers, { size, tag })
  if (range === 'outside')
    throw new ApiError(416, `The file has ${size} bytes`, { headers: { 'content-range': `bytes */${size}` } })
  const { start, end } = range ?? { start: 0, end: size }
  const body = await app.artifacts.store.read(key, { start, end })
  if (body === null) throw notFound('The file is not in the store any more')
  return reply(body, {
    status: range === null ? 200 : 206,
    headers: {
      'content-length': String(end - start),
      ...(range === null ? {} : { 'content-range': contentRange(range, size) }),
      'accept-ranges': 'bytes',
      ...cacheHeaders,
      ...more,
    },
  })
}

const contentRange = ({ start, end }: ByteRange, size: number): string => `bytes ${start}-${end - 1}/${size}`
