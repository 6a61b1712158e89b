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
  type BodyFrame,
  frameOf,
  isHttp2,
  malformedResponse,
  onlyHttp2,
  type ProtocolViolation,
  parseHead,
  type ResponseHead,
} from './http1-head.ts'

/** Of a status line with its headers. */
const maxHeadBytes = 64 * 1024
const maxInterimResponses = 16

/** `head` once; `body` for each piece, whose bytes are valid during the call only. */
type ReaderEvents = {
  head(head: ResponseHead): void
  body(part: Buffer): void
}

/** `more`: the response goes on; `done`: it is complete, later bytes are ignored. */
export type Progress = 'more' | 'done' | ProtocolViolation

type ResponseReader = {
  push(bytes: Buffer): Progress
  /** The connection ended. `more` means that the response was cut off. */
  close(): Progress
  started(): boolean
}

/** One response as far as it has been read. */
type ReaderState = {
  method: string
  events: ReaderEvents
  part: 'head' | BodyFrame['kind'] | 'done'
  /** The start of a head that has not ended. */
  pending: Buffer | null
  started: boolean
  interimResponses: number
  /** Bytes of a body with a length that are still to come. */
  remaining: number
  readChunks: ReturnType<typeof createChunkedReader> | null
}

/** For one response to a request with that method. */
export const createResponseReader = (method: string, events: ReaderEvents): ResponseReader => {
  const state: ReaderState = {
    method,
    events,
    part: 'head',
    pending: null,
    started: false,
    interimResponses: 0,
    remaining: 0,
    readChunks: null,
  }
  return {
    push: (bytes) => push(state, bytes),
    close: () => {
      if (state.part === 'until-close') state.part = 'done'
      return progressOf(state)
    },
    started: () => state.started,
  }
}

const progressOf = ({ part }: ReaderState): Progress => (part === 'done' ? 'done' : 'more')

const push = (state: ReaderState, bytes: Buffer): Progress => {
  state.started = true
  if (state.part === 'head') return readHead(state, bytes)
  if (state.part === 'until-close') {
    state.events.body(bytes)
    return 'more'
  }
  if (state.part === 'length') return readLength(state, bytes)
  if (state.readChunks === null || state.part === 'done') return 'done'
  const progress = state.readChunks(bytes)
  if (progress === 'done') state.part = 'done'
  return progress
}

const readLength = (state: ReaderState, bytes: Buffer): Progress => {
  const part = bytes.length > state.remaining ? bytes.subarray(0, state.remaining) : bytes
  state.remaining -= part.length
  state.events.body(part)
  if (state.remaining === 0) state.part = 'done'
  return progressOf(state)
}

const readHead = (state: ReaderState, bytes: Buffer): Progress => {
  const { pending } = state
  const all = pending === null ? bytes : Buffer.concat([pending, bytes])
  if (state.interimResponses === 0 && isHttp2(all)) return onlyHttp2
  const end = endOfHead(all, pending === null ? 0 : Math.max(0, pending.length - 3))
  if (end > maxHeadBytes || (end === -1 && all.length > maxHeadBytes))
    return { code: 'HEADERS_TOO_LARGE', message: `sent more than ${maxHeadBytes / 1024} KB of headers` }
  if (end === -1) {
    state.pending = pending === null ? Buffer.from(all) : all
    return 'more'
  }
  state.pending = null
  const head = parseHead(all.toString('latin1', 0, end))
  if ('code' in head) return head
  const rest = all.subarray(end)
  return head.status < 200 ? skipInterim(state, head, rest) : beginBody(state, head, rest)
}

const skipInterim = (state: ReaderState, head: ResponseHead, rest: Buffer): Progress => {
  if (head.status === 101) return malformedResponse('switched to another protocol without being asked')
  state.interimResponses += 1
  if (state.interimResponses > maxInterimResponses)
    return malformedResponse('sent too many interim responses')
  return rest.length === 0 ? 'more' : readHead(state, rest)
}

const beginBody = (state: ReaderState, head: ResponseHead, rest: Buffer): Progress => {
  const frame = frameOf(head, state.method)
  if ('code' in frame) return frame
  state.events.head(head)
  state.remaining = frame.length
  state.part = frame.kind === 'length' && frame.length === 0 ? 'done' : frame.kind
  if (state.part === 'chunked') state.readChunks = createChunkedReader(state.events.body)
  return rest.length === 0 ? progressOf(state) : push(state, rest)
}

/** Index after the empty line, or -1. */
const endOfHead = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(10, from); at !== -1; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at + 2
    if (bytes[at + 1] === 13 && bytes[at + 2] === 10) return at + 3
  }
  return -1
}
