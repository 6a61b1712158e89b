/**
 * A reader of one HTTP/1.1 response (RFC 9112), fed with the bytes of a connection as they come, which it does not keep.
 * It is pure: bytes in, events out, no socket and no clock, so that any fragmentation of the same bytes yields the same
 * events.
 *
 * Interim (1xx) responses are skipped. The body ends by Content-Length, by the last chunk, or by the end of the
 * connection, whichever section 6.3 says. Bare LF line ends and folded header lines are read as section 2.2 and 5.2 allow.
 */
import { createChunkedReader } from './http1-chunked.ts'
import {
  frameOf,
  malformedResponse,
  type ProtocolViolation,
  parseHead,
  type ResponseHead,
} from './http1-head.ts'

export const maxHeadBytes = 64 * 1024
const maxInterimResponses = 16

export type ReaderEvents = {
  head(head: ResponseHead): void
  body(part: Buffer): void
}

/** `more`: the response goes on; `done`: it is complete, later bytes are ignored. */
export type Progress = 'more' | 'done' | ProtocolViolation

export type ResponseReader = {
  push(bytes: Buffer): Progress
  /** The connection ended. `more` means that the response was cut off. */
  close(): Progress
  started(): boolean
}

export const createResponseReader = (method: string, events: ReaderEvents): ResponseReader => {
  let state: 'head' | 'length' | 'chunked' | 'until-close' | 'done' = 'head'
  let pending: Buffer | null = null
  let started = false
  let interim = 0
  let remaining = 0
  let chunked = createChunkedReader(events.body)

  const readHead = (bytes: Buffer): Progress => {
    const all = pending === null ? bytes : Buffer.concat([pending, bytes])
    const searchFrom = pending === null ? 0 : Math.max(0, pending.length - 3)
    const end = endOfHead(all, searchFrom)
    if (end > maxHeadBytes || (end === -1 && all.length > maxHeadBytes))
      return { code: 'HEADERS_TOO_LARGE', message: `sent more than ${maxHeadBytes / 1024} KB of headers` }
    if (end === -1) {
      pending = pending === null ? Buffer.from(all) : all
      return 'more'
    }
    pending = null
    const head = parseHead(all.toString('latin1', 0, end))
    if ('code' in head) return head
    const rest = all.subarray(end)
    if (head.status < 200) return skipInterim(head, rest)
    return begin(head, rest)
  }

  const skipInterim = (head: ResponseHead, rest: Buffer): Progress => {
    if (head.status === 101) return malformedResponse('switched to another protocol without being asked')
    interim += 1
    if (interim > maxInterimResponses) return malformedResponse('sent too many interim responses')
    return rest.length === 0 ? 'more' : readHead(rest)
  }

  const begin = (head: ResponseHead, rest: Buffer): Progress => {
    const frame = frameOf(head, method)
    if ('code' in frame) return frame
    events.head(head)
    remaining = frame.length
    state = frame.kind === 'length' && frame.length === 0 ? 'done' : frame.kind
    if (state === 'chunked') chunked = createChunkedReader(events.body)
    return rest.length === 0 ? progress() : push(rest)
  }

  const progress = (): Progress => (state === 'done' ? 'done' : 'more')

  const push = (bytes: Buffer): Progress => {
    started = true
    if (state === 'head') return readHead(bytes)
    if (state === 'until-close') {
      events.body(bytes)
      return 'more'
    }
    if (state === 'length') {
      const part = bytes.length > remaining ? bytes.subarray(0, remaining) : bytes
      remaining -= part.length
      events.body(part)
      if (remaining === 0) state = 'done'
      return progress()
    }
    if (state === 'chunked') {
      const result = chunked(bytes)
      if (result === 'done') state = 'done'
      return result
    }
    return 'done'
  }

  return {
    push,
    close: () => {
      if (state === 'until-close') state = 'done'
      return progress()
    },
    started: () => started,
  }
}

/** Index after the empty line, or -1. */
const endOfHead = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(10, from); at !== -1; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at + 2
    if (bytes[at + 1] === 13 && bytes[at + 2] === 10) return at + 3
  }
  return -1
}
