import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'

/** `contentType` is a header's value, and may be empty; `cut`: there was more than these bytes. */
type EncodedText = { bytes: Buffer; contentType: string; cut: boolean }

/**
 * The text of a body in its charset, without a byte order mark. A character whose end is missing shows as U+FFFD, but not where
 * it was us who cut it.
 */
export const bodyText = ({ bytes, contentType, cut }: EncodedText): string => {
  const charset = charsetOf(bytes, contentType)
  if (charset === 'utf-8' && bytes[0] !== 0xef && isUtf8(bytes)) return bytes.toString('utf8')
  return decoderOf(charset).decode(bytes, { stream: cut })
}

/** Text in UTF-16, which holds zeros as only binary data does otherwise. */
export const isUtf16 = (bytes: Buffer, contentType: string): boolean => {
  const encoding = encodingOf(charsetOf(bytes, contentType))
  return encoding === 'utf-16le' || encoding === 'utf-16be'
}

/** A byte order mark says more than the header, as in browsers (Encoding Standard, section 6). */
const charsetOf = (bytes: Buffer, contentType: string): string => markOf(bytes) ?? namedCharset(contentType)

const markOf = (bytes: Buffer): string | null => {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : null
}

const parameter = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^';,]*)'|([^;,\s]*))/g

/** The first parameter of that name (RFC 9110 section 5.6.6); also in single quotes, which some servers send. */
const parameterOf = (contentType: string, wanted: string): string | null => {
  for (const [, name = '', quoted, single, plain] of contentType.slice(0, maxTypeLength).matchAll(parameter))
    if (name.toLowerCase() === wanted) return quoted?.replace(/\\(.)/g, '$1') ?? single ?? plain ?? null
  return null
}

/** No longer type is read: looking for parameters in nonsense costs the square of its length. */
const maxTypeLength = 1000

const namedCharset = (contentType: string): string =>
  parameterOf(contentType, 'charset')?.trim().toLowerCase() ?? 'utf-8'

/** The name that the Encoding Standard has for it. Most are UTF-8, for which no decoder has to be made. */
const encodingOf = (charset: string): string => (charset === 'utf-8' ? charset : decoderOf(charset).encoding)

/** An unknown charset is read as UTF-8. */
const decoderOf = (charset: string): TextDecoder => {
  try {
    return new TextDecoder(charset)
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder()
    throw error
  }
}
