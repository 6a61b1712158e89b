import { headerAddress, headerText } from '../../../protocol/header-text.ts'

/** What a server did against the protocol; `message` continues a sentence that starts with its name. */
export type ProtocolViolation = {
  code: 'MALFORMED_RESPONSE' | 'HEADERS_TOO_LARGE' | 'HTTP2_ONLY'
  message: string
}

export const malformedResponse = (message: string): ProtocolViolation => ({
  code: 'MALFORMED_RESPONSE',
  message,
})

/** By names in lower case as they were received, or as they are sent. Several Set-Cookie are a list. */
export type HeaderMap = Record<string, string | string[]>

/**
 * Status line and headers. `httpVersion` without the name: `1.1`. `locations`: the different addresses in Location, as
 * they are requested; a text no longer says which bytes it was.
 */
export type ResponseHead = {
  status: number
  statusText: string
  httpVersion: string
  headers: HeaderMap
  locations: readonly string[]
}

/** How the end of a body is found (RFC 9112 section 6.3). `length` is bytes, and 0 for the other kinds. */
export type BodyFrame = { kind: 'length' | 'chunked' | 'until-close'; length: number }

/**
 * The first frame of a server's HTTP/2 connection are its settings (RFC 9113, section 3.4): a length of six bytes for each, type
 * 4, no flags, stream 0. Some close it at once instead, with GOAWAY (type 7).
 */
export const isHttp2 = (bytes: Buffer): boolean =>
  bytes.length >= 9 &&
  (bytes[3] === 4 || bytes[3] === 7) &&
  bytes[4] === 0 &&
  bytes.readUInt32BE(5) === 0 &&
  (bytes[3] === 7 || bytes.readUIntBE(0, 3) % 6 === 0)

export const onlyHttp2: ProtocolViolation = {
  code: 'HTTP2_ONLY',
  message: 'speaks only HTTP/2: it answered a request in HTTP/1.1 with frames of HTTP/2',
}

const statusLine = /^HTTP\/(1\.[01]) ([1-9]\d\d)(?: (.*))?$/
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const forbiddenInValue = /[\0\r]/

/** Status line and header fields, from bytes as Latin-1 that end with an empty line. Names come out in lower case. */
export const parseHead = (text: string): ResponseHead | ProtocolViolation => {
  const lines = unfold(text)
  const status = statusLine.exec(lines[0] ?? '')
  if (status === null) return malformedResponse('did not answer with an HTTP/1.1 status line')
  const headers: HeaderMap = Object.create(null)
  const locations = new Set<string>()
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] as string
    const colon = line.indexOf(':')
    const name = line.slice(0, colon)
    if (colon < 1 || !headerName.test(name))
      return malformedResponse('sent a header line that is not "name: value"')
    const value = trimBlanks(line.slice(colon + 1))
    if (forbiddenInValue.test(value))
      return malformedResponse(`sent control characters in its header ${name}`)
    addHeader(headers, name.toLowerCase(), headerText(value))
    if (name.toLowerCase() === 'location') locations.add(headerAddress(value))
  }
  return {
    status: Number(status[2]),
    statusText: headerText(status[3] ?? ''),
    httpVersion: status[1] as string,
    headers,
    locations: [...locations],
  }
}

/** Without the ASCII blanks around it: 0xA0, which `trim` takes off too, may be the end of a character in UTF-8. */
const trimBlanks = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start += 1
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)

/** Lines without their ends; a line that starts with white space continues the one before (section 5.2). */
const unfold = (text: string): string[] => {
  const lines: string[] = []
  for (const raw of text.split('\n')) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    if (line === '') continue
    const folded = (line.startsWith(' ') || line.startsWith('\t')) && lines.length > 1
    if (folded) lines[lines.length - 1] += ` ${trimBlanks(line)}`
    else lines.push(line)
  }
  return lines
}

/** Repeated fields are one list (RFC 9110 section 5.3), except Set-Cookie, which cannot be joined, and the same Location. */
const addHeader = (headers: HeaderMap, name: string, value: string): void => {
  const before = headers[name]
  if (before === undefined) headers[name] = name === 'set-cookie' ? [value] : value
  else if (Array.isArray(before)) before.push(value)
  else if (name !== 'location' || before !== value) headers[name] = `${before}, ${value}`
}

/** How the end of the body is found, from the head and the method of the request. */
export const frameOf = ({ status, headers }: ResponseHead, method: string): BodyFrame | ProtocolViolation => {
  if (method === 'HEAD' || status === 204 || status === 304) return { kind: 'length', length: 0 }
  const coding = headers['transfer-encoding']
  if (typeof coding === 'string') {
    const codings = coding
      .toLowerCase()
      .split(',')
      .map((part) => part.trim())
    if (codings.length === 1 && codings[0] === 'chunked') return { kind: 'chunked', length: 0 }
    if (codings.length === 1 && codings[0] === 'identity') return { kind: 'until-close', length: 0 }
    return malformedResponse('used a transfer coding other than "chunked"')
  }
  const length = headers['content-length']
  if (typeof length !== 'string') return { kind: 'until-close', length: 0 }
  const values = new Set(length.split(',').map((part) => part.trim()))
  const [only = ''] = values
  if (values.size !== 1 || !/^\d{1,15}$/.test(only))
    return malformedResponse('sent a Content-Length that is not one number')
  return { kind: 'length', length: Number(only) }
}
