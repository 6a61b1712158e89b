import type { Socket } from 'node:net'
import t from 'tap'
import { createOutgoing } from '../../../../../control-plane/platform/services/outgoing/outgoing.ts'
import { createOutgoingNetworks } from '../../../../../control-plane/platform/services/outgoing/outgoing-networks.ts'
import { httpServer } from '../../../../support/servers.ts'

const networks = createOutgoingNetworks(['127.0.0.0/8'])

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'sent',
    (error: { code: string }) => error.code,
  )

t.test('requests to one receiver go over one connection, as many at once over as many', async (t) => {
  const outgoing = createOutgoing({ networks })
  const server = await httpServer(t, (request, response) => {
    request.resume().on('end', () => response.end(request.url))
  })
  for (let i = 0; i < 20; i++) {
    const { body } = await outgoing.request({ method: 'POST', url: `${server.origin}/${i}`, body: 'x' })
    t.equal(body.toString(), `/${i}`)
  }
  t.equal(server.connections(), 1)
  const paths = Array.from({ length: 5 }, (_, i) => `/${i}`)
  const answers = await Promise.all(
    paths.map((path) => outgoing.request({ method: 'GET', url: server.origin + path })),
  )
  t.strictSame(
    answers.map(({ body }) => body.toString()),
    paths,
  )
  t.equal(server.connections(), 5)
})

t.test('every request is judged anew, whatever is still connected', async (t) => {
  const server = await httpServer(t, (request, response) => response.end(request.socket.localAddress))
  let address = '127.0.0.1'
  const outgoing = createOutgoing({ networks, lookup: async () => [{ address, family: 4 }] })
  const url = `http://rebinding.example:${server.port}/`
  const ask = () => outgoing.request({ method: 'GET', url })
  t.equal((await ask()).body.toString(), '127.0.0.1')
  address = '10.0.0.1'
  t.equal(await codeOf(ask()), 'BLOCKED_BY_POLICY')
  address = '127.0.0.1'
  t.equal((await ask()).status, 200)
  t.equal(server.connections(), 1)
  const other = await outgoing.request({ method: 'GET', url: `http://other.example:${server.port}/` })
  t.equal(other.status, 200)
  t.equal(server.connections(), 2, 'another name has a connection of its own')
})

t.test('what was cut, too large or too slow leaves no connection behind', async (t) => {
  const outgoing = createOutgoing({ networks })
  const sockets = new Set<Socket>()
  const server = await httpServer(t, (request, response) => {
    sockets.add(request.socket)
    if (request.url === '/large') response.end('x'.repeat(1000))
    else if (request.url === '/slow') response.write('x')
    else if (request.url === '/closed') response.writeHead(200, { connection: 'close' }).end('x')
    else response.end('ok')
  })
  const ask = (path: string, more = {}) =>
    outgoing.request({ method: 'GET', url: server.origin + path, ...more })
  t.equal(await codeOf(ask('/large', { maxBytes: 10 })), 'TOO_LARGE')
  t.equal((await ask('/large', { maxBytes: 10, partialBody: true })).body.length, 0)
  t.equal(await codeOf(ask('/slow', { timeoutMs: 2000 })), 'TIMEOUT')
  t.equal((await ask('/closed')).status, 200)
  t.equal((await ask('/')).body.toString(), 'ok')
  t.equal(sockets.size, 5)
})

t.test('a connection that the receiver has given up is replaced, and nothing arrives twice', async (t) => {
  const outgoing = createOutgoing({ networks })
  const seen: string[] = []
  const perSocket = new Map<Socket, number>()
  const server = await httpServer(t, (request, response) => {
    const nth = (perSocket.get(request.socket) ?? 0) + 1
    perSocket.set(request.socket, nth)
    // At the very moment at which the next request comes: it was never read.
    if (nth === 2) return request.socket.resetAndDestroy()
    seen.push(request.url ?? '')
    response.end('ok')
  })
  const paths = Array.from({ length: 6 }, (_, i) => `/${i}`)
  for (const path of paths)
    t.equal((await outgoing.request({ method: 'POST', url: server.origin + path, body: 'x' })).status, 200)
  t.strictSame(seen, paths)
  t.equal(server.connections(), 6)

  const refusing = await httpServer(t, (request) => request.socket.resetAndDestroy())
  t.match(
    await codeOf(outgoing.request({ method: 'POST', url: refusing.origin })),
    /UND_ERR_SOCKET|ECONNRESET/,
  )
  t.equal(refusing.connections(), 1, 'a new connection that fails is a failure')
})
