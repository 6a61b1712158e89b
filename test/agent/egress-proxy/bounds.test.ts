// Runs in a process of its own: it asks the process what it still holds.
/** What clients of a egress proxy can use up: their own run's share, and nothing of anybody else's. */
import { once } from 'node:events'
import net from 'node:net'
import t, { type Test } from 'tap'
import { commands } from '../../../agent/egress-proxy/socks.ts'
import type { Lookup } from '../../../agent/net/connect/lookup.ts'
import { agentIo } from '../../support/agent-io.ts'
import { nameServer } from '../../support/name-server.ts'
import { ask, heard, say, socks, testEgressProxies } from '../../support/raw-client.ts'
import { httpServer, tcpServer } from '../../support/servers.ts'
import { until } from '../../support/until.ts'

/** Takes connections and keeps them. */
const holding = (t: Test) => tcpServer(t, (socket) => socket.resume())

t.test('nothing is left of a run: no socket, no listener, no timer', async (t) => {
  const before = process.getActiveResourcesInfo().sort()
  let open = 0
  const target = net.createServer((socket) => {
    open += 1
    socket.resume().on('error', () => undefined)
    socket.on('close', () => {
      open -= 1
    })
  })
  target.listen(0, '127.0.0.1')
  await once(target, 'listening')
  const { port: to } = target.address() as net.AddressInfo
  const egressProxy = await testEgressProxies(t)()
  const clients = [
    (await socks(egressProxy.port, '127.0.0.1', to)).socket,
    say(egressProxy.port, `CONNECT 127.0.0.1:${to} HTTP/1.1\r\n\r\n`),
    say(
      egressProxy.port,
      `POST http://127.0.0.1:${to}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf`,
    ),
    say(egressProxy.port, '\u0005'),
  ]
  await until('the ways', () => open === 3)
  const ends = clients.map((socket) => heard(socket))
  await egressProxy.close()
  await Promise.all(ends)
  await until('the end of the ways', () => open === 0)
  target.close()
  await until('that all is as before', () => process.getActiveResourcesInfo().sort().join() === before.join())
  t.same(process.getActiveResourcesInfo().sort(), before)
})

t.test('connections at once, of one run', async (t) => {
  const egressProxy = await testEgressProxies(t, { atOnce: 2 })()
  const target = await holding(t)
  const dial = () => socks(egressProxy.port, '127.0.0.1', target.port)
  const first = await dial()
  t.equal((await dial()).reply?.succeeded, true)
  t.equal((await dial()).reply, null)
  t.same(egressProxy.said, ['WARN A run may have 2 connections at once'])
  first.socket.destroy()
  await until('room for one more', async () => (await dial()).reply?.succeeded === true)
  t.equal(egressProxy.said.length, 1, 'said once')
})

t.test('connections at once, of all runs of an agent', async (t) => {
  const open = testEgressProxies(t, { atOnceOfAgent: 2 })
  const [one, other] = [await open(), await open()]
  const target = await holding(t)
  t.equal((await socks(one.port, '127.0.0.1', target.port)).reply?.succeeded, true)
  t.equal((await socks(one.port, '127.0.0.1', target.port)).reply?.succeeded, true)
  t.equal((await socks(other.port, '127.0.0.1', target.port)).reply, null)
  t.same(other.said, ['WARN All runs of this agent together may have 2 connections at once'])
  await one.close()
  await until('the places of the run that has ended', async () => {
    const { reply } = await socks(other.port, '127.0.0.1', target.port)
    return reply?.succeeded === true
  })
})

t.test('connections of a run in all', async (t) => {
  const egressProxy = await testEgressProxies(t, { inAll: 3 })()
  const target = await holding(t)
  const replies = []
  for (let count = 0; count < 5; count += 1) {
    const { reply, socket } = await socks(egressProxy.port, '127.0.0.1', target.port)
    replies.push(reply?.succeeded ?? null)
    socket.destroy()
  }
  t.same(replies, [true, true, true, null, null])
  t.same(egressProxy.said, ['WARN A run may open 3 connections: no more are made'])
})

t.test('lookups at once, of a run and of all, also of those that have ended', async (t) => {
  const going = new Map<string, () => void>()
  const lookup: Lookup = (host) =>
    new Promise((resolve) => going.set(host, () => resolve([{ address: '127.0.0.1', family: 4 }])))
  const open = testEgressProxies(t, { lookups: 2, lookupsOfAgent: 3 })
  const io = { ...agentIo(), lookup }
  const [one, other] = [await open(io), await open(io)]
  const resolve = (port: number, name: string) => socks(port, name, 4, commands.resolve)
  const asked = ['a', 'b', 'c'].map((name) => resolve(one.port, name))
  await until('two of one run', () => going.size === 2)
  const others = [resolve(other.port, 'd'), resolve(other.port, 'e')]
  await until('three of all', () => going.size === 3)
  t.same([...going.keys()], ['a', 'b', 'd'])
  await one.close()
  t.same(await Promise.all(asked.map(async (reply) => (await reply).reply)), [null, null, null])
  t.equal(going.size, 3, 'nobody took the place of a lookup that still goes on')
  going.get('a')?.()
  await until('the next one', () => going.has('e'))
  t.notOk(going.has('c'), 'it is not begun any more')
  for (const end of going.values()) end()
  for (const reply of others) t.same((await reply).reply, { succeeded: true, text: '127.0.0.1' })
})

t.test('bytes of a run, whichever way they go and however they are asked for', async (t) => {
  const bytes = 1024 * 1024
  const body = Buffer.alloc(400_000)
  const target = await httpServer(t, (request, response) => {
    request.resume().on('end', () => response.end(body))
  })
  const ways: Record<string, (port: number) => Promise<number>> = {
    'a tunnel': async (port) => {
      const { socket } = await socks(port, '127.0.0.1', target.port)
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      return (await heard(socket)).length
    },
    'a request': async (port) =>
      (await ask(port, `GET ${target.origin}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).length,
    'a body that is sent': async (port) => {
      const head = `POST ${target.origin}/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`
      return (await ask(port, Buffer.concat([Buffer.from(head), body]))).length
    },
  }
  for (const [name, way] of Object.entries(ways)) {
    const egressProxy = await testEgressProxies(t, { bytes })()
    const lengths: number[] = []
    for (let count = 0; count < 4; count += 1) lengths.push(await way(egressProxy.port))
    t.ok((lengths[0] ?? 0) > 400_000, name)
    t.ok((lengths[3] ?? 0) < 400_000, `${name}: ${lengths.join()}`)
    t.same(egressProxy.said, ['WARN A run may send and receive 1 MB: its connections are closed'])
  }
})

t.test('clients that say nothing, say it slowly, or never come to an end', async (t) => {
  const { port } = await testEgressProxies(t, { greetingMs: 150, headBytes: 8192 })()
  const beginnings = [
    '',
    'G',
    '\u0005',
    '\u0005\u00ff',
    'GET http://x.example/ HTTP/1.1\r\nA: ',
    'CONNECT x:1 HTTP/1.1\r\n',
  ]
  for (const beginning of beginnings) {
    const socket = say(port, beginning)
    // A byte now and then does not help.
    const drip = setInterval(() => socket.write('\u0001'), 20)
    await heard(socket)
    clearInterval(drip)
  }
  t.equal((await ask(port, Buffer.alloc(1_000_000, 0xff))).length, 0)
  t.match(
    (await ask(port, `GET http://x.example/ HTTP/1.1\r\nA: ${'a'.repeat(1_000_000)}`)).toString(),
    /^$|^HTTP\/1.1 431/,
  )
  t.equal(
    (
      await ask(port, Buffer.concat([Buffer.from([5, 255]), Buffer.alloc(255, 1), Buffer.alloc(5000, 7)]))
    ).toString('hex'),
    '05ff',
  )
})

t.test('a connection on which nothing passes is given up', async (t) => {
  const { port } = await testEgressProxies(t, { idleMs: 100 })()
  let closed = 0
  const target = await tcpServer(t, (socket) => socket.on('close', () => (closed += 1)).resume())
  const { socket } = await socks(port, '127.0.0.1', target.port)
  await heard(socket)
  await until('the end of the way', () => closed === 1)
  t.equal(closed, 1)
})

t.test('a way that takes too long is given up', async (t) => {
  const silent = await nameServer(t, () => undefined)
  const io = agentIo({ dnsServers: [`127.0.0.1:${silent.port}`] })
  const { port } = await testEgressProxies(t, { connectMs: 100 })(io)
  t.same((await socks(port, 'silent.example', 80)).reply, { succeeded: false, text: 'ETIMEDOUT' })
})

t.test('a reader that does not read stops its target, and costs no memory', async (t) => {
  const { port } = await testEgressProxies(t)()
  const whole = 256 * 1024 * 1024
  const part = Buffer.alloc(64 * 1024)
  const sender: { socket: net.Socket | null; sent: number } = { socket: null, sent: 0 }
  const target = await tcpServer(t, (socket) => {
    sender.socket = socket
    const more = (): void => {
      while (sender.sent < whole) {
        sender.sent += part.length
        if (!socket.write(part)) return
      }
      socket.end()
    }
    socket.on('drain', more)
    more()
  })
  const { socket } = await socks(port, '127.0.0.1', target.port)
  let before = -1
  let same = 0
  await until(
    'that nothing moves any more',
    () => {
      same = sender.sent === before ? same + 1 : 0
      before = sender.sent
      return same >= 10
    },
    20,
  )
  t.ok(sender.sent < whole / 4, `${sender.sent} bytes are on their way`)
  let received = 0
  socket.on('data', (bytes: Buffer) => {
    received += bytes.length
  })
  await once(socket, 'end')
  t.equal(received, whole, 'and all of it comes once it is read')
})

t.test('a thousand clients of one run that hang keep nobody else waiting', async (t) => {
  const open = testEgressProxies(t, { atOnce: 100 })
  const [hostile, honest] = [await open(), await open()]
  const target = await httpServer(t, (_, response) => response.end('answer'))
  const hanging = Array.from({ length: 1000 }, (_, index) =>
    say(hostile.port, ['', '\u0005\u0001', 'CONNECT ', 'GET http://'][index % 4] as string),
  )
  await until('that they are there', () => hostile.said.length > 0)
  for (let count = 0; count < 20; count += 1)
    t.match(
      (await ask(honest.port, `GET ${target.origin}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toString(),
      /answer$/,
    )
  t.same(honest.said, [])
  for (const socket of hanging) socket.destroy()
})
