import { bodyText, isUtf16 } from './body-text.ts'

/** How much of a text body a result stores. */
export const maxStoredBytes = 10 * 1024

/** The largest image that a result stores, and therefore what a body must keep to be shown. */
export const maxImageBytes = 50 * 1024

/** Those that browsers show. */
const rasterImages = new Set([
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/x-icon',
  'image/vnd.microsoft.icon',
])

const binaryTypes =
  /^(image|audio|video|font)\/|^application\/(pdf|octet-stream|zip|gzip|ogg|wasm|vnd\.rar|x-(7z|bzip|tar|shockwave|gzip|rar|zip).*)$/

/** A body as a result shows it. Without `bodyEncoding` it is text. */
type StoredBody = { body: string; bodyEncoding?: 'utf8' | 'base64'; truncated: boolean }

/** `asText`: the check looks at the body's text, so the result shows it, whatever the server calls it. */
type ReceivedBody = {
  bytes: Buffer
  bodyBytes: number
  truncated: boolean
  contentType: string
  asText: boolean
}

/** Text is cut, small raster images are base64, anything else is replaced by a note on what it was. */
export const storedBody = ({
  bytes,
  bodyBytes,
  truncated,
  contentType,
  asText,
}: ReceivedBody): StoredBody => {
  if (bodyBytes === 0) return { body: '', truncated }
  if (asText) return storedText(bytes, { bodyBytes, truncated, contentType })
  const [type = ''] = contentType.toLowerCase().split(';', 1)
  const mediaType = type.trim()
  if (rasterImages.has(mediaType) && bodyBytes <= maxImageBytes && bytes.length === bodyBytes)
    return { body: bytes.toString('base64'), bodyEncoding: 'base64', truncated }
  if (mediaType === 'image/svg+xml' || !isBinary(mediaType, bytes.subarray(0, maxStoredBytes), contentType))
    return storedText(bytes, { bodyBytes, truncated, contentType })
  return { body: `[binary body: ${mediaType || 'no content type'}, ${bodyBytes} bytes]`, truncated: true }
}

type BodyFacts = Pick<ReceivedBody, 'bodyBytes' | 'truncated' | 'contentType'>

const storedText = (bytes: Buffer, { bodyBytes, truncated, contentType }: BodyFacts): StoredBody => {
  const start = bytes.subarray(0, maxStoredBytes)
  const cut = truncated || bodyBytes > start.length
  return { body: bodyText({ bytes: start, contentType, cut }), truncated: cut }
}

const isBinary = (mediaType: string, start: Buffer, contentType: string): boolean =>
  binaryTypes.test(mediaType) || (start.includes(0) && !isUtf16(start, contentType))
