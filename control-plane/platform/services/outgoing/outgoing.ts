/**
 * How the control plane sends requests of its own to addresses that a user or operator named:
 * webhooks, channel providers, the analyst's endpoint, logos.
 *
 * The name is resolved first, its addresses are judged (outgoing-networks.ts), and the connection goes to exactly the
 * address that was judged: a name that changes its mind in between changes nothing. Behind a proxy it is the proxy that
 * connects (outgoing-ways.ts). Redirects are answers and are never
 * followed. Time and size are bounded. What cannot be sent is an `OutgoingError`; every status is an answer.
 */
import { type Connection, type Connections, createConnections } from './outgoing-connections.ts'
import { OutgoingError } from './outgoing-error.ts'
import { type OutgoingProxy, proxyError, proxyFailureIn } from './outgoing-proxy.ts'
import { createWays, type Way, type WayOptions } from './outgoing-ways.ts'

export type OutgoingRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'
  url: string
  headers?: Record<string, string>
  body?: string
  /** For the whole exchange; 10 seconds unless told otherwise. */
  timeoutMs?: number
  /** Of the answer's body; 1 MB unless told otherwise. */
  maxBytes?: number
  /** Only the status counts: of a body that is too large, too slow or cut off, what came is kept. */
  partialBody?: true
}

export type OutgoingAnswer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

export type Outgoing = {
  /** @throws OutgoingError */
  request(request: OutgoingRequest): Promise<OutgoingAnswer>
}

const defaultTimeoutMs = 10_000
const defaultMaxBytes = 1024 * 1024

export const createOutgoing = (options: WayOptions): Outgoing => {
  const connections = createConnections()
  const wayTo = createWays(options)
  return {
    request: async (request) => {
      const url = addressOf(request.url)
      const timeoutMs = request.timeoutMs ?? defaultTimeoutMs
      const deadline = AbortSignal.timeout(timeoutMs)
      try {
        const way = await orTimeout(wayTo(url), deadline)
        return await send(request, { url, way, deadline, timeoutMs, connections })
      } catch (error) {
        throw asOutgoingError(error, { url, deadline, timeoutMs })
      }
    },
  }
}

const addressOf = (text: string): URL => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new OutgoingError('INVALID_URL', 'The address is not an http or https URL', { permanent: true })
  if (url.username !== '' || url.password !== '')
    throw new OutgoingError('INVALID_URL', 'The address must not carry a user name or password', {
      permanent: true,
    })
  return url
}

type Sending = { url: URL; way: Way; deadline: AbortSignal; timeoutMs: number; connections: Connections }

/**
 * A connection that was used before may be closed by the other side at the very moment at which it is used again: without
 * any answer on it, the request goes over a new one.
 */
const send = async (request: OutgoingRequest, sending: Sending): Promise<OutgoingAnswer> => {
  const { url, way, deadline, connections } = sending
  const connection = connections.take(url.origin, way)
  try {
    return await sendOver(connection, request, sending)
  } catch (error) {
    if (!connection.isUsed || deadline.aborted || !isClosed(error)) throw error
  }
  return sendOver(connections.open(url.origin, way), request, sending)
}

const isClosed = (error: unknown): boolean =>
  ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')

const sendOver = async (
  connection: Connection,
  request: OutgoingRequest,
  { url, deadline, timeoutMs, connections }: Sending,
): Promise<OutgoingAnswer> => {
  const { forwarder } = connection
  let isWhole = false
  try {
    const { statusCode, headers, body } = await connection.client.request({
      method: request.method,
      path: `${forwarder === null ? '' : url.origin}${url.pathname}${url.search}`,
      headers: forwarder === null ? (request.headers ?? {}) : forwarded(request, url, forwarder),
      body: request.body ?? null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: deadline,
    })
    const read = await bodyOf(body as AsyncIterable<Buffer>, request, url)
    isWhole = read.isWhole
    const refusal = forwarder === null ? null : proxyFailureIn({ status: statusCode, headers }, forwarder)
    if (refusal !== null) throw refusal
    return { status: statusCode, headers, body: read.bytes }
  } catch (error) {
    const isOurs = error instanceof OutgoingError || deadline.aborted
    throw forwarder === null || isOurs || (connection.isUsed && isClosed(error))
      ? error
      : proxyError(forwarder, error)
  } finally {
    if (isWhole) connections.keep(connection)
    else await connections.drop(connection)
  }
}

/** A proxy goes by the address (RFC 9112, section 3.2.2): what a sender says to the proxy itself, or of another host, stays here. */
const forwarded = (
  { headers = {} }: OutgoingRequest,
  { host }: URL,
  proxy: OutgoingProxy,
): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(host|proxy-.*)$/i.test(name))),
  ...proxy.headers,
  host,
})

const bodyOf = async (
  body: AsyncIterable<Buffer>,
  { maxBytes = defaultMaxBytes, partialBody }: Pick<OutgoingRequest, 'maxBytes' | 'partialBody'>,
  url: URL,
): Promise<{ bytes: Buffer; isWhole: boolean }> => {
  const chunks: Buffer[] = []
  let bytes = 0
  let isWhole = false
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > maxBytes)
        throw new OutgoingError('TOO_LARGE', `${url.host} sent more than ${maxBytes} bytes`, {
          permanent: true,
        })
      chunks.push(chunk)
    }
    isWhole = true
  } catch (error) {
    if (!partialBody) throw error
  }
  return { bytes: Buffer.concat(chunks), isWhole }
}

const orTimeout = <T>(work: Promise<T>, deadline: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const over = () => reject(deadline.reason)
    deadline.addEventListener('abort', over, { once: true })
    work.then(resolve, reject).finally(() => deadline.removeEventListener('abort', over))
  })

type FailureFacts = { url: URL; deadline: AbortSignal; timeoutMs: number }

const asOutgoingError = (error: unknown, { url, deadline, timeoutMs }: FailureFacts): OutgoingError => {
  if (error instanceof OutgoingError) return error
  if (deadline.aborted)
    return new OutgoingError('TIMEOUT', `${url.host} was not done within ${timeoutMs} ms`, { cause: error })
  const { code, message } = error as NodeJS.ErrnoException
  return new OutgoingError(code ?? 'UNKNOWN', `The request to ${url.host} failed: ${code ?? message}`, {
    cause: error,
  })
}

/** Requests to addresses that users and operators name. */
export type HasOutgoing = { outgoing: Outgoing }
