import { Readable } from 'node:stream'
import type { App } from '../../platform/app.ts'
import { artifactKey } from '../../platform/artifact-store/store.ts'
import { isKnownVersion } from '../../platform/http/entity-tag.ts'
import { ApiError, notFound } from '../../platform/http/errors.ts'
import { type Reply, reply } from '../../platform/http/route.ts'
import { findArtifact } from '../artifacts/queries.ts'
import { type ByteRange, requestedRange } from './byte-range.ts'

type AssetRequest = {
  resultId: string
  name: string
  headers: Readonly<Record<string, string | undefined>>
  /** The type of a picture or a video that a page of ours shows; else the file is only for keeping. */
  shownAs?: string | null
}

/**
 * The bytes of a complete file. What a run wrote is anybody's: it never becomes a document of ours, whatever it is.
 * @throws ApiError 404, or 416 for a range outside of the file
 */
export const serveAsset = async (
  app: App,
  { resultId, name, headers, shownAs = null }: AssetRequest,
): Promise<Reply<Readable>> => {
  const row = await app.db.get(findArtifact, { resultId, name })
  if (!row || row.completed_at === null) throw notFound()
  const { size } = row
  const tag = `"${row.sha256}"`
  const kept = { etag: tag, 'cache-control': 'private, no-cache' }
  // Before any range: who has the file needs no part of it (RFC 9110, section 13.2.2).
  if (isKnownVersion(headers['if-none-match'], tag))
    return reply(Readable.from([]), { status: 304, headers: kept })
  const range = requestedRange(headers, { size, tag })
  if (range === 'outside')
    throw new ApiError(416, `The file has ${size} bytes`, { headers: { 'content-range': `bytes */${size}` } })
  const { start, end } = range ?? { start: 0, end: size }
  const body = await app.artifacts.store.read(artifactKey(resultId, name), { start, end })
  if (body === null) throw notFound('The file is not in the store any more')
  return reply(body, {
    status: range === null ? 200 : 206,
    headers: {
      'content-length': String(end - start),
      ...(range === null ? {} : { 'content-range': contentRange(range, size) }),
      'accept-ranges': 'bytes',
      ...kept,
      ...(shownAs === null ? { 'content-disposition': attachment(name) } : { 'content-type': shownAs }),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  })
}

const contentRange = ({ start, end }: ByteRange, size: number): string => `bytes ${start}-${end - 1}/${size}`

/** RFC 6266: the name in ASCII for old clients, and as it is (RFC 8187). */
const attachment = (name: string): string => {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
