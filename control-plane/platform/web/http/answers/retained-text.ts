/** Texts that are the same for everybody, such as documents of the API: made once, packed when it is first asked for, known by their entity tag. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { isKnownVersion } from '../request/entity-tag.ts'
import { type Reply, reply } from '../route.ts'
import type { Bytes } from './serialize.ts'

export type RetainedText = { bytes: Buffer; gzip(): Buffer; etag: string; headers: Record<string, string> }

/** `headers`: sent with every answer. */
export const retainText = (text: string, headers: Record<string, string>): RetainedText => {
  const bytes = Buffer.from(text)
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  // Weak: the packed bytes are another representation under the same tag (RFC 9110 section 8.8.3.1).
  let packed: Buffer | undefined
  const gzip = (): Buffer => {
    packed ??= gzipSync(bytes)
    return packed
  }
  return { bytes, gzip, etag: `W/"${digest}"`, headers }
}

/** For a route's `otherStatuses`. */
export const notChanged = { 304: 'The client has it already' }

export type RequestHeaders = Readonly<Record<string, string | undefined>>

export const replyRetained = (
  { bytes, gzip, etag, headers }: RetainedText,
  { 'if-none-match': known, 'accept-encoding': encodings = '' }: RequestHeaders,
): Reply<Bytes> => {
  const common = { ...headers, etag, vary: 'accept-encoding' }
  if (isKnownVersion(known, etag.slice(2))) return reply('', { status: 304, headers: common })
  return /\bgzip\b/.test(encodings)
    ? reply(gzip(), { headers: { ...common, 'content-encoding': 'gzip' } })
    : reply(bytes, { headers: common })
}
