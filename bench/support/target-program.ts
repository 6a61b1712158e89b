/**
 * A target in a process of its own: `node target-program.ts <kind>`; prints `port <number>` when it can be reached.
 *
 *   http, https   a bare server of Node's that answers every request with the same small page (https: TLS 1.3)
 *   json          the same with a small document of JSON
 *   bare          the least a server of Node's can say
 *   switched      answers with 503 from a PUT of "true" on, and as it should from a PUT of anything else on
 *   hole          accepts connections and never says anything
 *   full          listens and never accepts: when its queue is full the kernel drops every further SYN
 */
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { selfSigned } from './certificate.ts'

const page = `<!doctype html><title>ok</title><p>${'All systems are up. '.repeat(20)}</p>`
const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': Buffer.byteLength(page) }

const document = JSON.stringify({
  status: 'up',
  version: '1.2.3',
  services: Array.from({ length: 8 }, (_, index) => ({
    name: `service ${index}`,
    up: true,
    latencyMs: index,
  })),
})
const jsonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(document),
}

const answer: http.RequestListener = (_request, response) => {
  response.writeHead(200, headers)
  response.end(page)
}

const switched = (): http.RequestListener => {
  let failing = false
  return (request, response) => {
    if (request.method !== 'PUT') return void response.writeHead(failing ? 503 : 200).end()
    request.setEncoding('utf8').on('data', (text: string) => {
      failing = text === 'true'
    })
    request.on('end', () => response.end())
  }
}

const servers: Record<string, () => net.Server> = {
  http: () => http.createServer(answer),
  https: () => https.createServer({ ...selfSigned(), minVersion: 'TLSv1.3' }, answer),
  json: () =>
    http.createServer((_request, response) => {
      response.writeHead(200, jsonHeaders)
      response.end(document)
    }),
  bare: () => http.createServer((_request, response) => response.end('hello')),
  switched: () => http.createServer(switched()),
  hole: () => net.createServer((socket) => socket.on('error', () => socket.destroy())),
  full: () => net.createServer(),
}

const kind = process.argv[2] ?? 'http'
const server = servers[kind]?.()
if (server === undefined) throw new Error(`there is no target of the kind ${kind}`)
server.listen({ port: 0, host: '127.0.0.1', backlog: kind === 'full' ? 1 : 4096 }, () => {
  process.stdout.write(`port ${(server.address() as net.AddressInfo).port}\n`, () => {
    // The event loop stops here for good, so that nothing is ever accepted.
    if (kind === 'full') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
})
