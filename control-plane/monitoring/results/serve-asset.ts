import type { Readable } from 'node:stream'
import type { App } from '../../platform/app/app.ts'
import { artifactKey, type HasArtifacts } from '../../platform/store/artifact-store/store.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { findArtifact } from '../artifacts/queries.ts'
import { serveFile } from '../artifacts/serve-file.ts'

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
  app: App & HasArtifacts,
  { resultId, name, headers, shownAs = null }: AssetRequest,
): Promise<Reply<Readable>> => {
  const row = await app.db.get(findArtifact, { resultId, name })
  if (!row || row.completed_at === null || row.sha256 === null) throw notFound()
  const file = { key: artifactKey(resultId, name), size: row.size, sha256: row.sha256 }
  const more = {
    ...(shownAs === null ? { 'content-disposition': attachment(name) } : { 'content-type': shownAs }),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  }
  return serveFile(app, file, { headers, more })
}

/** RFC 6266: the name in ASCII for old clients, and as it is (RFC 8187). */
const attachment = (name: string): string => {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
