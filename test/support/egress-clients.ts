import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { SMTPServer } from 'smtp-server'
import type { Test } from 'tap'
import { programLoader } from '../../agent/isolation/program.ts'
import type { Credentials } from './certificates.ts'
import { compileCache } from './compile-cache.ts'
import type { ClientResult, ClientTask } from './egress-clients-program.ts'
import { temporaryFolder } from './test-agent.ts'
import { WebSocketServer } from './websockets.ts'

const clientsProgram = fileURLToPath(new URL('egress-clients-program.ts', import.meta.url))

/** The hooks of scripts as files, for any Node: the arguments and variables with which it has them. */
export const hookedNode = async (t: Test, egressProxyPort: number) => {
  const folder = temporaryFolder(t)
  mkdirSync(folder, { recursive: true })
  for (const { name, code } of await programLoader(process.execPath)())
    writeFileSync(join(folder, name), code)
  const preload = join(folder, 'preload.mjs')
  return {
    folder,
    env: { NODE_OPTIONS: `--require ${preload}`, WATCHPOST_EGRESS_PROXY_PORT: String(egressProxyPort) },
  }
}

type Clients = { egressProxyPort: number; task: ClientTask; authority: string; env?: Record<string, string> }

/** What each client got, by its name. */
export const runClients = async (
  t: Test,
  { egressProxyPort, task, authority, env: more = {} }: Clients,
): Promise<Record<string, string>> => {
  const { folder, env } = await hookedNode(t, egressProxyPort)
  const trusted = join(folder, 'authority.pem')
  writeFileSync(trusted, authority)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--no-warnings', clientsProgram, JSON.stringify(task)],
    { env: { ...compileCache(), ...env, ...more, NODE_EXTRA_CA_CERTS: trusted } },
  )
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ClientResult)
  return Object.fromEntries(results.map(({ client, said }) => [client, said]))
}

/** One server of each kind. `names`: those that clients asked for in their handshakes. */
export const everyServer = async (
  t: Test,
  credentials: Credentials,
): Promise<{ ports: Omit<ClientTask, 'host' | 'postgres'>; names: Set<string> }> => {
  const names = new Set<string>()
  const noteName = (server: net.Server) =>
    server.on('secureConnection', ({ servername }: { servername: string }) => names.add(servername))
  const answer = (text: string) => (_: unknown, response: http.ServerResponse) => response.end(text)
  const plain = http.createServer(answer('plain'))
  const secure = https.createServer(credentials, answer('secure'))
  for (const server of [plain, secure])
    new WebSocketServer({ server }).on('connection', (socket) =>
      socket.on('message', (data) => socket.send(`echo of ${data}`)),
    )
  const answer2 = (_: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => response.end('second')
  const smtp = new SMTPServer({ ...credentials, onAuth: (_, __, done) => done(null, { user: 'a' }) })
  const servers = {
    http: plain,
    https: noteName(secure),
    h2: noteName(http2.createSecureServer(credentials, answer2)),
    h2c: http2.createServer(answer2),
    echo: net.createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)),
    speaker: net.createServer((socket) => socket.end('I speak first')),
    smtp: smtp.server,
  }
  const ports: Record<string, number> = {}
  for (const [name, server] of Object.entries(servers)) ports[name] = await listen(t, server)
  return { ports: ports as Omit<ClientTask, 'host' | 'postgres'>, names }
}

const listen = async (t: Test, server: net.Server): Promise<number> => {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  // Both families, as far as the machine has them.
  await new Promise<void>((resolve) => server.listen(0, resolve))
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}
