import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import type { Test } from 'tap'
import './patience.ts'

/** A server of a test: its port, and where it is reached. It and its connections end with the test. */
export type TestServer = { port: number; origin: string; connections(): number }

type Closable = net.Server & { closeAllConnections?: () => void }

/** For those that have a server of their own. `scheme`: of its origin. */
export const listening = async (t: Test, server: Closable, scheme: string): Promise<TestServer> => {
  const sockets = new Set<net.Socket>()
  let connections = 0
  server.on('connection', (socket: net.Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as net.AddressInfo
  return { port, origin: `${scheme}://127.0.0.1:${port}`, connections: () => connections }
}

export const httpServer = (t: Test, listener: http.RequestListener): Promise<TestServer> =>
  listening(t, http.createServer(listener), 'http')

export const httpsServer = (
  t: Test,
  credentials: https.ServerOptions,
  listener: http.RequestListener,
): Promise<TestServer> => listening(t, https.createServer(credentials, listener), 'https')

/** Anything that speaks TCP, or refuses to: the way to a server that misbehaves. */
export const tcpServer = (t: Test, onSocket: (socket: net.Socket) => void): Promise<TestServer> =>
  listening(t, net.createServer(onSocket), 'http')

/** Answers every connection with these bytes once it has sent something, and closes it. */
export const answering = (t: Test, answer: string | Buffer): Promise<TestServer> =>
  tcpServer(t, (socket) => socket.once('data', () => socket.end(answer)))

/** A port of the loopback on which nobody listens. */
export const closedPort = async (): Promise<number> => {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
