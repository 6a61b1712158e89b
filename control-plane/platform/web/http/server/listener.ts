/**
 * The listening socket. It opens before anything else, so that a port in use is known at once and probes are answered
 * (503) while the store is being opened.
 */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { inTurn } from '../../../../../protocol/in-turn.ts'
import { errorBody } from '../../../words/errors.ts'

/** What takes over a connection. A request to become something else that it does not take is answered as it stands. */
export type Upgrades = {
  takes(request: IncomingMessage): boolean
  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

export type Listener = {
  port: number
  serve(handler: RequestListener, upgrades?: Upgrades): void
  /** Stops accepting and waits for the answers in progress; when `cut` aborts, connections are closed as they are. */
  close(cut: AbortSignal): Promise<void>
}

/** Headers must arrive within this, and a whole request within the next one: a slow client holds a socket, not us. */
const headersTimeoutMs = 15_000
const requestTimeoutMs = 60_000
const keepAliveTimeoutMs = 75_000
/** Of one connection, sent before the answers to those before them have been read. */
const maxWaiting = 100

export const openListener = (port: number, host: string): Promise<Listener> => {
  let current: RequestListener = starting
  const handle: RequestListener = (request, response) => current(request, response)
  let upgrading: Upgrades | undefined
  const shouldUpgradeCallback = (request: IncomingMessage): boolean => upgrading?.takes(request) ?? false
  const server = createServer(
    { shouldUpgradeCallback },
    inTurn(handle, { maxWaiting, nextTurn: setImmediate }),
  )
  server.on('upgrade', (request, socket, head) => upgrading?.handle(request, socket, head))
  server.headersTimeout = headersTimeoutMs
  server.requestTimeout = requestTimeoutMs
  server.keepAliveTimeout = keepAliveTimeoutMs
  server.on('clientError', refuseNonsense)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve({
        port: (server.address() as AddressInfo).port,
        serve: (handler, upgrades) => {
          current = handler
          upgrading = upgrades
        },
        close: (cut) =>
          new Promise((closed) => {
            server.close(() => closed())
            server.closeIdleConnections()
            if (cut.aborted) server.closeAllConnections()
            else cut.addEventListener('abort', () => server.closeAllConnections(), { once: true })
          }),
      })
    })
  })
}

const starting = (_request: unknown, response: ServerResponse): void => {
  response.writeHead(503, { 'content-type': 'application/json; charset=utf-8', 'retry-after': '1' })
  response.end(JSON.stringify(errorBody(503, 'Starting')))
}

const statusOf: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/** Bytes that are not HTTP: no request exists, so the answer is written by hand. */
const refuseNonsense = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const status = statusOf[error.code ?? ''] ?? 400
  const body = errorBody(status, 'The request is not valid HTTP')
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${status} ${body.error}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}
