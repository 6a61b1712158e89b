/**
 * One HTTP request on a connection of its own, measured.
 *
 * Words: an *exchange* is one request and its response, a *hop* is an exchange inside a redirect chain, *moments* are
 * instants of socket events on the monotonic clock, *phases* the durations between them.
 *
 * Invariant: whatever the target does, `exchange` ends by the signal at the latest, holds at most `keepBytes` of its
 * body, and answers with data. It throws for this machine's errors and when the run is cancelled.
 */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { CertificateFacts } from '../../../protocol/checks/http-result.ts'
import type { Failure } from '../../../protocol/result.ts'
import { connectOrTunnel } from '../connect/connect-or-tunnel.ts'
import type { Attempt, Flow, Moments, Target } from '../connect/connection.ts'
import { describeFailure, hostAndPort } from '../connect/failures.ts'
import type { ProxyServer } from '../connect/proxy-server.ts'
import { createSharedReadBuffer } from '../connect/shared-read-buffer.ts'
import { failureOfAbort, whenAborted } from '../connect/when-aborted.ts'
import type { Capture } from '../evidence/capture/capture.ts'
import type { ReadTcpFacts, TcpFacts } from '../evidence/tcp-facts.ts'
import type { Io } from '../io.ts'
import { type BodyKeeper, createBodyKeeper, type RetainedBody } from './body.ts'
import { type DownloadThrottle, freeBytes, type ThrottledDownload } from './download-throttle.ts'
import type { ResponseHead } from './http1-head.ts'
import { createResponseReader, type Progress } from './http1-reader.ts'
import { proxyFailureIn } from './proxy-answer.ts'

export type ExchangeRequest = Target & {
  url: URL
  method: string
  /** Names as they are sent, values without line breaks. Connection, the body's length, and Host unless given, are added. */
  headers: Record<string, string>
  /** null: none; empty: the request says that it has none. */
  body: Buffer | null
  /** How much of the decoded body the caller needs; the rest is read, measured and dropped. */
  keepBytes: number
}

export type Exchange = {
  failure: Failure | null
  response: (ResponseHead & RetainedBody) | null
  moments: Moments & { response: number | null; ended: number }
  remoteAddress: string | null
  /** Its connections as packets show them, noted while these are captured; and what the kernel knew when it failed. */
  flows: readonly Flow[]
  peer: Attempt['peer']
  tcp: TcpFacts | null
  certificate: CertificateFacts | null
}

/** `capture` notes the connections; `downloadThrottle` is for large bodies; `tcpFacts` for those whose network fails. */
export type HttpIo = Io & {
  capture: Pick<Capture, 'note'>
  downloadThrottle: DownloadThrottle
  tcpFacts: ReadTcpFacts
}

/**
 * Sends one request and reads its response. What the target does is in the result; see the invariant above for what
 * throws.
 */
export const exchange = async (
  request: ExchangeRequest,
  io: HttpIo,
  signal: AbortSignal,
): Promise<Exchange> => {
  const started = io.clock.monotonic()
  const flows: Flow[] = []
  const attempt: Attempt = {
    state: stateOf(request.url),
    moments: { started, lookup: null, connect: null, secureConnect: null },
    socket: null,
    // What a proxy says before it is the target that speaks, others have to read.
    readBuffer: io.egressRoute.proxy === null ? createSharedReadBuffer(io.readBuffer) : null,
    onSocket: (socket) => io.capture.note(socket, flows),
    peer: null,
    over: false,
  }
  const result: Exchange = {
    failure: null,
    response: null,
    moments: { ...attempt.moments, response: null, ended: started },
    remoteAddress: null,
    flows,
    peer: null,
    tcp: null,
    certificate: null,
  }
  const aborted = whenAborted(signal)
  try {
    const failure = await Promise.race([converse(request, { attempt, result, io }), aborted.promise])
    result.failure = failure === 'aborted' ? failureOfAbort(signal, attempt.state) : failure
    result.moments.ended = io.clock.monotonic()
    if (result.failure?.network === true && attempt.socket !== null)
      result.tcp = await io.tcpFacts(attempt.socket)
  } finally {
    aborted.forget()
    attempt.over = true
    attempt.socket?.destroy()
  }
  const { response, ended } = result.moments
  result.moments = { ...attempt.moments, response, ended }
  result.remoteAddress = attempt.state.address
  result.peer = attempt.peer
  return result
}

const stateOf = (url: URL): Attempt['state'] => ({
  host: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
  address: null,
  port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
  elapsedMs: 0,
  phase: 'lookup',
})

type Conversation = { attempt: Attempt; result: Exchange; io: HttpIo }

const converse = async (request: ExchangeRequest, conversation: Conversation): Promise<Failure | null> => {
  const failure = await connectOrTunnel(request, conversation.attempt, conversation.io)
  const { socket } = conversation.attempt
  if (failure !== null || socket === null) return failure
  if (request.url.protocol === 'https:' && socket instanceof TLSSocket)
    conversation.result.certificate = conversation.io.certificateFacts(socket, conversation.io.clock.now())
  const broken = await roundTrip(socket, request, conversation)
  const { state, moments } = conversation.attempt
  const forwarder = forwarderOf(request, conversation.io)
  if (broken === null) {
    const { response } = conversation.result
    if (forwarder === null || response === null) return null
    return proxyFailureIn(response, forwarder, hostAndPort(state.host, state.port))
  }
  state.elapsedMs = conversation.io.clock.monotonic() - moments.started
  if (!('kind' in broken)) return describeFailure(broken, state)
  return {
    code: broken.code,
    message: `${hostAndPort(state.host, state.port)} ${broken.message}`,
    network: false,
  }
}

/** The proxy that reads the request itself: only TLS is closed to it. */
const forwarderOf = ({ url }: ExchangeRequest, { egressRoute }: Io): ProxyServer | null =>
  url.protocol === 'http:' ? egressRoute.proxy : null

type Violation = { kind: 'violation'; code: string; message: string }

const roundTrip = (
  socket: Socket,
  request: ExchangeRequest,
  { attempt, result, io }: Conversation,
): Promise<Error | Violation | null> =>
  new Promise((resolve) => {
    let keeper: BodyKeeper | null = null
    let head: ResponseHead | null = null
    let finished = false
    let bodyBytes = 0
    let large: ThrottledDownload | null = null
    const finish = async (broken: Error | Violation | null): Promise<void> => {
      if (finished) return
      finished = true
      large?.leave()
      socket.pause()
      if (head === null || keeper === null) return resolve(broken)
      const { body, problem } = await keeper.end()
      result.response = { ...head, ...body }
      resolve(broken ?? (problem === null ? null : { kind: 'violation', ...problem }))
    }
    const reader = createResponseReader(request.method, {
      head: (received) => {
        head = received
        attempt.state.phase = 'download'
        keeper = createBodyKeeper(received.headers['content-encoding'], request.keepBytes)
      },
      body: (part) => {
        // The cap is a decision of ours, so what was read until then is the answer.
        if (keeper?.add(part) === 'full') finish(null)
        else throttle(part.length)
      },
    })
    const throttle = (bytes: number): void => {
      bodyBytes += bytes
      if (bodyBytes <= freeBytes) return
      large ??= io.downloadThrottle.open(() => socket.resume())
      if (!large.took(bytes)) socket.pause()
    }
    const take = (progress: Progress): void => {
      if (progress === 'done') finish(null)
      else if (progress !== 'more') finish({ kind: 'violation', ...progress })
    }
    const cutOff = (): Error => Object.assign(new Error('cut off'), { code: 'ECONNRESET' })
    const read = (bytes: Buffer): void => {
      if (finished) return
      result.moments.response ??= io.clock.monotonic()
      take(reader.push(bytes))
    }
    if (attempt.readBuffer === null) socket.on('data', read)
    else attempt.readBuffer.to(socket, read)
    const onEnd = (): void => {
      // An error costs a stack trace: made only where the response is really cut off.
      if (!finished) finish(reader.close() === 'done' ? null : cutOff())
    }
    socket.once('end', onEnd)
    socket.once('error', finish)
    socket.once('close', onEnd)
    socket.write(requestBytes(request, forwarderOf(request, io)))
  })

/** As UTF-8: in Latin-1 a character beyond it would lose its upper byte and could become a line break. */
const requestBytes = (
  { method, url, headers, body }: ExchangeRequest,
  proxy: ProxyServer | null,
): string | Buffer => {
  // RFC 9112 section 3.2.2: a proxy is told the whole address.
  const origin = proxy === null ? '' : url.origin
  const host = headers['Host'] ?? url.host
  let text = `${method} ${origin}${url.pathname}${url.search} HTTP/1.1\r\nHost: ${host}\r\n`
  if (proxy !== null && proxy.authorization !== null)
    text += `Proxy-Authorization: ${proxy.authorization}\r\n`
  for (const name in headers) if (name !== 'Host') text += `${name}: ${headers[name]}\r\n`
  if (body !== null) text += `Content-Length: ${body.length}\r\n`
  text += 'Connection: close\r\n\r\n'
  return body === null || body.length === 0 ? text : Buffer.concat([Buffer.from(text), body])
}
