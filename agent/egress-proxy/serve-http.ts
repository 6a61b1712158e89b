/**
 * The side of the egress proxy that speaks HTTP/1.1 as a proxy: CONNECT for tunnels, requests with a whole address for http, and their
 * upgrades (ws), which become tunnels. One request a connection: on the loopback another one costs little.
 */
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { EgressProxyLimits } from './allowance.ts'
import { type Client, safely } from './client.ts'
import { type DialError, dial } from './dial.ts'
import { forward } from './forward.ts'
import { plainHost, requestHead, targetOf } from './http-message.ts'
import { relay } from './relay.ts'

const clientOf = Symbol('the client of a connection')
type SocketOfClient = Socket & { [clientOf]: Client }

/** Listens nowhere: it is given its connections. */
export const createHttpSide = ({ headBytes }: EgressProxyLimits): Server => {
  const server = createServer({ maxHeaderSize: headBytes, requireHostHeader: false })
  server.on('request', (request, response) => {
    response.shouldKeepAlive = false
    const client = understood(request)
    const target = targetOf(request.url)
    if (target !== null)
      return void safely(client, (client) => forward({ client, target, request, response }))
    response.writeHead(400, { 'content-type': 'text/plain' })
    response.end('This is a proxy for http and CONNECT: it takes whole addresses\n')
  })
  server.on('connect', (request, _, head) => safely(understood(request), tunnelFor(request, head)))
  server.on('upgrade', (request, _, head) => safely(understood(request), upgradeOf(request, head)))
  server.on('clientError', (_, socket) => socket.destroy())
  return server
}

/** Whatever has been read of it already comes first. */
export const startHttp = (client: Client): void => {
  Object.assign(client.socket, { [clientOf]: client })
  client.session.http.emit('connection', client.socket)
}

const understood = ({ socket }: IncomingMessage): Client => {
  const client = (socket as SocketOfClient)[clientOf]
  client.understood()
  return client
}

const tunnelFor =
  (request: IncomingMessage, head: Buffer) =>
  async (client: Client): Promise<void> => {
    const { socket, session, signal } = client
    const url = URL.parse(`tcp://${request.url ?? ''}`)
    const port = Number(url?.port)
    if (url === null || url.hostname === '' || !(port > 0)) return refuse(socket, 400, 'Bad address\n')
    const connection = await dial({ host: plainHost(url), port, protocol: 'tcp:' }, session, signal)
    if (!('socket' in connection)) return refuseAs(socket, connection)
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    carryOn(client, connection.socket, head)
  }

const upgradeOf =
  (request: IncomingMessage, head: Buffer) =>
  async (client: Client): Promise<void> => {
    const { socket, session, signal } = client
    const target = targetOf(request.url)
    if (target === null) return refuse(socket, 400, 'Bad address\n')
    const connection = await dial({ ...target, protocol: 'tcp:' }, session, signal)
    if (!('socket' in connection)) return refuseAs(socket, connection)
    connection.socket.write(requestHead(request, target.path))
    carryOn(client, connection.socket, head)
  }

/** The bytes that came with the request go first. They cannot go back to a client that has ended since. */
const carryOn = ({ socket, session }: Client, target: Socket, head: Buffer): void => {
  if (head.length > 0) target.write(head)
  relay(socket, target, session)
}

const refuseAs = (socket: Socket, { code, message, isTarget }: DialError): void =>
  refuse(socket, code === 'EACCES' ? 403 : isTarget && code === 'ETIMEDOUT' ? 504 : 502, `${message}\n`)

const refuse = (socket: Socket, status: number, text: string): void => {
  socket.resume()
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
    () => socket.destroy(),
  )
}
