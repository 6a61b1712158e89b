/**
 * A program: connects in every way that programs know to the servers that its first argument names, and prints how each went. Given to a
 * Node that has the hooks of scripts, it shows who goes through the egress proxy.
 */
import { fork } from 'node:child_process'
import dns from 'node:dns'
import { once } from 'node:events'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'
import { Worker } from 'node:worker_threads'
import nodemailer from 'nodemailer'
import pg from 'pg'
import { request } from 'undici'
import { WebSocketOfPackage } from './websockets.ts'

/** `postgres` is null where there is none. */
export type ClientTask = {
  host: string
  http: number
  https: number
  h2: number
  h2c: number
  echo: number
  speaker: number
  smtp: number
  postgres: { port: number; user: string; database: string } | null
}

export type ClientResult = { client: string; said: string }

const task: ClientTask = JSON.parse(process.argv[2] ?? '')
const { host } = task
const at = (scheme: string, port: number): string =>
  `${scheme}://${net.isIPv6(host) ? `[${host}]` : host}:${port}/`

const textOf = async (stream: NodeJS.ReadableStream): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(Buffer.from(part as Buffer))
  return Buffer.concat(parts).toString()
}

const got = async (start: (done: (answer: http.IncomingMessage) => void) => http.ClientRequest) => {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  start(resolve).on('error', reject)
  return textOf(await promise)
}

const echoed = async (socket: net.Socket, ready: string): Promise<string> => {
  socket.write('before ')
  await once(socket, ready)
  socket.write('after')
  let text = ''
  for await (const part of socket) {
    text += part
    if (text.length >= 'before after'.length) break
  }
  return text
}

const spoken = async (url: string, Type: new (url: string) => WebSocket): Promise<string> => {
  const socket = new Type(url)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = (event) => reject((event as { error?: Error }).error ?? new Error('no socket'))
  })
  const answer = new Promise<string>((resolve) => {
    socket.onmessage = ({ data }) => resolve(String(data))
  })
  socket.send('hello')
  const text = await answer
  socket.close()
  return text
}

const overHttp2 = async (url: string): Promise<string> => {
  const session = http2.connect(url)
  const failed = once(session, 'error').then(([error]) => {
    throw error
  })
  const stream = session.request({ ':path': '/' })
  stream.on('error', () => undefined)
  const text = await Promise.race([textOf(stream), failed])
  session.close()
  failed.catch(() => undefined)
  return text
}

const sendMail = async (): Promise<string> => {
  const options = { host, port: task.smtp, requireTLS: true, auth: { user: 'a', pass: 'b' } }
  const { accepted } = await nodemailer
    .createTransport(options)
    .sendMail({ from: 'a@a.example', to: 'b@b.example', subject: 'x', text: 'y' })
  return accepted.join()
}

const queryPostgres = async (): Promise<string> => {
  if (task.postgres === null) return 'skipped'
  const client = new pg.Client({ host, ...task.postgres })
  await client.connect()
  const { rows } = await client.query('select 40 + 2 as sum')
  await client.end()
  return String(rows[0].sum)
}

const fetched = `fetch('${at('http', task.http)}').then((r) => r.text(), (e) => e.cause?.code)`

const inWorker = async (): Promise<string> => {
  const code = `${fetched}.then((text) => require('worker_threads').parentPort.postMessage(text))`
  const [text] = await once(new Worker(code, { eval: true }), 'message')
  return text
}

const inChild = async (): Promise<string> => {
  const url = `data:text/javascript,${encodeURIComponent(`${fetched}.then((text) => process.send(text, () => process.disconnect()))`)}`
  const child = fork('-', [], { execArgv: ['--input-type=module', '--import', url, '-e', '0'] })
  const [text] = await once(child, 'message')
  return text
}

const clients: Record<string, () => Promise<string>> = {
  fetch: async () => (await fetch(at('http', task.http))).text(),
  'fetch TLS': async () => (await fetch(at('https', task.https))).text(),
  'http.get': () => got((done) => http.get(at('http', task.http), done)),
  'http.get, own agent': () =>
    got((done) => http.get(at('http', task.http), { agent: new http.Agent({ keepAlive: true }) }, done)),
  'http.get, no agent': () => got((done) => http.get(at('http', task.http), { agent: false }, done)),
  'https.get': () => got((done) => https.get(at('https', task.https), done)),
  'https.get, own agent': () =>
    got((done) => https.get(at('https', task.https), { agent: new https.Agent() }, done)),
  undici: async () => (await request(at('http', task.http))).body.text(),
  'undici TLS': async () => (await request(at('https', task.https))).body.text(),
  'http2 in clear': () => overHttp2(at('http', task.h2c)),
  http2: () => overHttp2(at('https', task.h2)),
  'net.connect': () => echoed(net.connect(task.echo, host), 'connect'),
  'net.Socket': () => echoed(new net.Socket().connect({ host, port: task.echo }), 'ready'),
  'net.connect, IPv4 wanted': () => echoed(net.connect({ host, port: task.echo, family: 4 }), 'connect'),
  'a server that speaks first': () => textOf(net.connect({ host, port: task.speaker })),
  'a socket that is read later': async () => {
    const socket = net.connect({ host, port: task.speaker }).pause()
    await once(socket, 'connect')
    return textOf(socket)
  },
  'tls.connect': () => tlsName(tls.connect({ host, port: task.https, servername: 'target.example' })),
  'tls.connect, in three arguments': () =>
    tlsName(tls.connect(task.https, host, { servername: 'target.example' })),
  WebSocket: () => spoken(at('ws', task.http), WebSocket),
  'WebSocket TLS': () => spoken(at('wss', task.https), WebSocket),
  ws: () => spoken(at('ws', task.http), WebSocketOfPackage),
  'ws TLS': () => spoken(at('wss', task.https), WebSocketOfPackage),
  'dns.lookup': async () => (await dns.promises.lookup(host)).address,
  nodemailer: sendMail,
  pg: queryPostgres,
  'a worker': inWorker,
  'a child process': inChild,
}

const tlsName = async (socket: tls.TLSSocket): Promise<string> => {
  await once(socket, 'secureConnect')
  const text = `${socket.authorized} ${socket.getPeerX509Certificate()?.checkHost('target.example')}`
  socket.end()
  return text
}

const codeOf = (error: unknown): string => {
  const { code, cause, errors, message } = error as NodeJS.ErrnoException & { errors?: unknown[] }
  if (cause !== undefined) return codeOf(cause)
  if (errors?.[0] !== undefined) return codeOf(errors[0])
  return code ?? (message || 'failed')
}

for (const [client, run] of Object.entries(clients)) {
  const late = new Promise<string>((resolve) => setTimeout(resolve, 20_000, 'no end').unref())
  const said = await Promise.race([run().catch(codeOf), late])
  process.stdout.write(`${JSON.stringify({ client, said })}\n`)
}
process.exit(0)
