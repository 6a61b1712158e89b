/** Calls of gRPC (over HTTP/2) on a connection that stands: whole messages out, whole messages in, and how it ended. */
import http2 from 'node:http2'
import type { Socket } from 'node:net'
import { gunzipSync, inflateSync } from 'node:zlib'
import { userAgent } from '../../base/version.ts'
import type { Io } from '../io.ts'

/** Bytes of all messages that a call may answer with. */
const maxAnswerBytes = 1024 * 1024
const maxMetadata = 100

export type Metadata = { key: string; value: string }

/** `status`: null where the call ended without one; `problem` then says how. Instants are on the monotonic clock. */
export type RpcAnswer = {
  messages: Buffer[]
  status: number | null
  statusMessage: string
  metadata: Metadata[]
  problem: Error | null
  sentAt: number
  endedAt: number
}

type RpcRequest = { path: string; message: Uint8Array; metadata?: readonly Metadata[]; timeoutMs: number }

/** One connection; `close` breaks off what is under way. */
export type RpcSession = { call(request: RpcRequest): Promise<RpcAnswer>; close(): void }

type Authority = { host: string; isSecure: boolean }

export const openRpcSession = (socket: Socket, { host, isSecure }: Authority, io: Io): RpcSession => {
  const scheme = isSecure ? 'https' : 'http'
  const session = http2.connect(`${scheme}://${host}`, {
    createConnection: () => socket,
    settings: { enablePush: false },
    maxSessionMemory: 10,
  })
  let broken: Error | null = null
  session.on('error', (error) => {
    broken = error
  })
  return {
    call: (request) => call(request, { session, io, brokenBy: () => broken, scheme, host }),
    close: () => session.destroy(),
  }
}

type CallContext = {
  session: http2.ClientHttp2Session
  io: Io
  brokenBy(): Error | null
  scheme: string
  host: string
}

const call = (request: RpcRequest, context: CallContext): Promise<RpcAnswer> =>
  new Promise((resolve) => {
    const { clock } = context.io
    const answer: RpcAnswer = {
      ...{ messages: [], status: null, statusMessage: '', metadata: [], problem: null },
      ...{ sentAt: clock.monotonic(), endedAt: 0 },
    }
    const end = (problem: Error | null): void => {
      if (answer.endedAt !== 0) return
      answer.endedAt = clock.monotonic()
      const reason = problem ?? context.brokenBy() ?? (isAnswered ? withoutStatus() : brokenOff())
      answer.problem = answer.status === null ? reason : null
      resolve(answer)
    }
    let isAnswered = false
    const stream = startStream(request, context)
    if (stream instanceof Error) return end(stream)
    const body = createReader(answer)
    const giveUp = (problem: Error): void => {
      answer.status = null
      end(problem)
      stream.close(http2.constants.NGHTTP2_CANCEL)
    }
    stream.on('response', (headers) => {
      isAnswered = true
      takeHeaders(headers, answer)
      const problem = answer.status === null ? otherProtocol(headers) : null
      if (problem !== null) return giveUp(problem)
      body.encoding = String(headers['grpc-encoding'] ?? 'identity')
    })
    stream.on('trailers', (headers) => takeHeaders(headers, answer))
    stream.on('data', (part: Buffer) => {
      const problem = body.take(part)
      if (problem !== null) giveUp(problem)
    })
    stream.on('error', (error) => end(error))
    stream.on('close', () => end(null))
    stream.end(framed(request.message))
  })

const withoutStatus = (): Error =>
  Object.assign(new Error('the answer ended without a status'), { code: 'NO_GRPC_STATUS' })

const brokenOff = (): Error => Object.assign(new Error('broken off'), { code: 'ECONNRESET' })

const startStream = (
  { path, metadata = [], timeoutMs }: RpcRequest,
  { session, scheme, host }: CallContext,
): http2.ClientHttp2Stream | Error => {
  const headers: http2.OutgoingHttpHeaders = {
    ':method': 'POST',
    ':scheme': scheme,
    ':authority': host,
    ':path': path,
    te: 'trailers',
    'content-type': 'application/grpc+proto',
    'user-agent': userAgent,
    'grpc-timeout': `${Math.min(99_999_999, Math.max(1, Math.ceil(timeoutMs)))}m`,
    'grpc-accept-encoding': 'identity,gzip,deflate',
  }
  for (const { key, value } of metadata) headers[key] = [headers[key] ?? [], value].flat().map(String)
  try {
    return session.request(headers)
  } catch (error) {
    // The session is gone already, or a header is not one.
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** A web server, or a proxy before it, answers in its own way. */
const otherProtocol = (headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader): Error | null => {
  const { ':status': status = 200, 'content-type': type = '' } = headers
  if (status === 200 && type.startsWith('application/grpc')) return null
  const what =
    status === 200 ? `content of the type ${type || 'that it does not name'}` : `status ${status} of HTTP`
  return Object.assign(new Error(what), { code: 'NOT_GRPC' })
}

const takeHeaders = (headers: http2.IncomingHttpHeaders, answer: RpcAnswer): void => {
  for (const [key, value] of Object.entries(headers)) {
    if (key === 'grpc-status') answer.status = statusOf(String(value))
    else if (key === 'grpc-message') answer.statusMessage = percentDecoded(String(value))
    else if (!key.startsWith(':') && !key.startsWith('grpc-'))
      for (const one of [value ?? []].flat())
        if (answer.metadata.length < maxMetadata) answer.metadata.push({ key, value: one })
  }
}

/** What is no number of a status means that nobody knows (2). */
const statusOf = (text: string): number => (/^\d{1,3}$/.test(text) ? Number(text) : 2)

const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    // Not encoded as it should be: shown as it came.
    return text
  }
}

const prefixBytes = 5

const framed = (message: Uint8Array): Buffer => {
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

/** Cuts what comes into messages; `take` says what is wrong with it. */
const createReader = (answer: RpcAnswer) => {
  let rest = Buffer.alloc(0)
  let total = 0
  const reader = {
    encoding: 'identity',
    take: (part: Buffer): Error | null => {
      total += part.length
      if (total > maxAnswerBytes) return tooLarge()
      rest = Buffer.concat([rest, part])
      while (rest.length >= prefixBytes) {
        const length = rest.readUInt32BE(1)
        if (length > maxAnswerBytes) return tooLarge()
        if (rest.length < prefixBytes + length) return null
        const isCompressed = rest.readUInt8(0) === 1
        const content = rest.subarray(prefixBytes, prefixBytes + length)
        rest = rest.subarray(prefixBytes + length)
        const message = isCompressed ? decompressed(content, reader.encoding) : content
        if (message instanceof Error) return message
        answer.messages.push(message)
      }
      return null
    },
  }
  return reader
}

const tooLarge = (): Error =>
  Object.assign(new Error(`the answer has more than ${maxAnswerBytes} bytes`), { code: 'ANSWER_TOO_LARGE' })

const decompressed = (content: Buffer, encoding: string): Buffer | Error => {
  const options = { maxOutputLength: maxAnswerBytes }
  try {
    if (encoding === 'gzip') return gunzipSync(content, options)
    if (encoding === 'deflate') return inflateSync(content, options)
  } catch {
    // Broken or too large: said below, as an encoding that is unknown.
  }
  return Object.assign(new Error(`a message in the encoding ${encoding} cannot be read`), {
    code: 'INVALID_ENCODING',
  })
}
