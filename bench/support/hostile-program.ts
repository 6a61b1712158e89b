/**
 * Targets that misbehave, in a process of their own: prints `origins <JSON array>` when all of them can be reached, and
 * `documents <origin>` of one whose answers are hard to judge. Each is a way to hold up or to wear out whoever asks.
 */
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { gzipSync } from 'node:zlib'
import { selfSigned } from './certificate.ts'

/** Writes as fast as it is read, until it is cut off. */
const pour = (socket: net.Socket, part: Buffer): void => {
  socket.write(part, (error) => {
    if (!error) pour(socket, part)
  })
}

const raw = (answer: (socket: net.Socket) => unknown): net.Server =>
  net.createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => answer(socket))
  })

const dripping = (socket: net.Socket): void => {
  socket.write('HTTP/1.1 200 OK\r\n\r\n')
  const timer = setInterval(() => socket.write('x'), 1000)
  socket.on('close', () => clearInterval(timer))
}

const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
const header = Buffer.from(`x-long: ${'y'.repeat(64 * 1024)}\r\n`)
const endless = Buffer.alloc(64 * 1024, 'x')

const targets: Record<string, net.Server> = {
  'never answers': raw(() => undefined),
  'one byte a second': raw(dripping),
  'endless body': raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    pour(socket, endless)
  }),
  'gzip bomb': http.createServer((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end(bomb)
  }),
  'endless headers': raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    pour(socket, header)
  }),
  'redirect loop': http.createServer((_, response) => response.writeHead(302, { location: '/' }).end()),
  'reset in the middle': raw((socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it', () => socket.resetAndDestroy()),
  ),
  'certificate that nobody trusts': https.createServer(selfSigned(), (_, response) => response.end()),
}

/** 1.3 MB that is deep and wide at once, as JSON at `/json` and as a text that nearly matches at `/text`. */
const branch = (depth: number): unknown =>
  depth === 0 ? { id: 1, name: 'leaf' } : { left: branch(depth - 1), right: branch(depth - 1) }
const json = JSON.stringify(Array.from({ length: 16 }, () => branch(11)))
const text = 'ab'.repeat(650_000)

const documents = http.createServer(({ url }, response) => {
  const isJson = url === '/json'
  response
    .writeHead(200, { 'content-type': isJson ? 'application/json' : 'text/plain' })
    .end(isJson ? json : text)
})

const originOf = async (name: string, server: net.Server): Promise<string> => {
  server.on('clientError', (_, socket) => socket.destroy())
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  return `${name.startsWith('certificate') ? 'https' : 'http'}://127.0.0.1:${port}`
}

const origins = await Promise.all(Object.entries(targets).map(([name, server]) => originOf(name, server)))
process.stdout.write(`documents ${await originOf('documents', documents)}\n`)
process.stdout.write(`origins ${JSON.stringify(origins)}\n`)
