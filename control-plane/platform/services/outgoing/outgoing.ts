/**
 * How the control plane sends requests of its own to addresses that a user or operator named:
 * webhooks, channel providers, the analyst's endpoint, logos.
 *
 * The name is resolved first, its addresses are judged (outgoing-networks.ts), and the connection goes to exactly the
 * address that was judged: a name that changes its mind in between changes nothing. Redirects are answers and are never
 * followed. Time and size are bounded. What cannot be sent is an `OutgoingError`; every status is an answer.
 */
import { lookup as resolveName } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Address, type Connection, type Connections, createConnections } from './outgoing-connections.ts'
import type { OutgoingNetworks } from './outgoing-networks.ts'

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

/** `permanent`: trying again without a change of address or settings will fail the same way. */
export class OutgoingError extends Error {
  readonly code: string
  readonly permanent: boolean
  constructor(code: string, message: string, more: { permanent?: boolean; cause?: unknown } = {}) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
    this.name = 'OutgoingError'
    this.code = code
    this.permanent = more.permanent ?? false
  }
}

export type Outgoing = {
  /** @throws OutgoingError */
  request(request: OutgoingRequest): Promise<OutgoingAnswer>
}

type OutgoingOptions = {
  networks: OutgoingNetworks
  /** All addresses of a name, in the order to try. The system's resolver unless told otherwise. */
  lookup?: (host: string) => Promise<Address[]>
}

const defaultTimeoutMs = 10_000
const defaultMaxBytes = 1024 * 1024

export const createOutgoing = ({ networks, lookup = systemLookup }: OutgoingOptions): Outgoing => {
  const connections = createConnections()
  return {
    request: async (request) => {
      const url = addressOf(request.url)
      const timeoutMs = request.timeoutMs ?? defaultTimeoutMs
      const deadline = AbortSignal.timeout(timeoutMs)
      try {
        const pinned = await orTimeout(pin(url, networks, lookup), deadline)
        return await send(request, { url, pinned, deadline, timeoutMs, connections })
      } catch (error) {
        throw asOutgoingError(error, { url, deadline, timeoutMs })
      }
    },
  }
}

const systemLookup = (host: string): Promise<Address[]> => resolveName(host, { all: true })

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

/** The first address of the name, if all of them may be reached: a name with one foot inside is not trusted. */
const pin = async (
  url: URL,
  networks: OutgoingNetworks,
  lookup: (host: string) => Promise<Address[]>,
): Promise<Address> => {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const version = isIP(host)
  const addresses = version === 0 ? await lookup(host) : [{ address: host, family: version }]
  const [first] = addresses
  if (first === undefined) throw new OutgoingError('ENOTFOUND', `${host} has no address`)
  const refused = addresses.find(({ address }) => !networks.allows(address))
  if (refused)
    throw new OutgoingError(
      'BLOCKED_BY_POLICY',
      `${host} (${refused.address}) is a private, loopback or link-local address outside EGRESS_ALLOWED_NETWORKS`,
      { permanent: true },
    )
  return first
}

type Way = { url: URL; pinned: Address; deadline: AbortSignal; timeoutMs: number; connections: Connections }

/**
 * A connection that was used before may be closed by the other side at the very moment at which it is used again: without
 * any answer on it, the request goes over a new one.
 */
const send = async (request: OutgoingRequest, way: Way): Promise<OutgoingAnswer> => {
  const { url, pinned, deadline, connections } = way
  const connection = connections.take(url.origin, pinned)
  try {
    return await sendOver(connection, request, way)
  } catch (error) {
    if (!connection.isUsed || deadline.aborted || !isClosed(error)) throw error
  }
  return sendOver(connections.open(url.origin, pinned), request, way)
}

const isClosed = (error: unknown): boolean =>
  ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')

const sendOver = async (
  connection: Connection,
  request: OutgoingRequest,
  { url, deadline, timeoutMs, connections }: Way,
): Promise<OutgoingAnswer> => {
  let isWhole = false
  try {
    const { statusCode, headers, body } = await connection.client.request({
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: request.headers ?? {},
      body: request.body ?? null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: deadline,
    })
    const read = await bodyOf(body as AsyncIterable<Buffer>, request, url)
    isWhole = read.isWhole
    return { status: statusCode, headers, body: read.bytes }
  } finally {
    if (isWhole) connections.keep(connection)
    else await connections.drop(connection)
  }
}

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
