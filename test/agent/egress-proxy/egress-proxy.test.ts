/** What the egress proxy says to those who speak to it, byte by byte. */
import { once } from 'node:events'
import net from 'node:net'
import t, { type Test } from 'tap'
import { createEgressProxies } from '../../../agent/egress-proxy/egress-proxy.ts'
import { commands } from '../../../agent/egress-proxy/socks.ts'
import { agentIo } from '../../support/agent-io.ts'
import { address, nameServer } from '../../support/name-server.ts'
import { ask, heard, say, socks, testEgressProxies } from '../../support/raw-client.ts'
import { answering, closedPort, httpServer, tcpServer } from '../../support/servers.ts'
import { until } from '../../support/until.ts'

const echo = (t: Test) =>
  tcpServer(t, (socket) => {
    socket.allowHalfOpen = true
    socket.pipe(socket)
  })

t.test('SOCKS: a tunnel by name and by address, each side of which ends by itself', async (t) => {
  const { port } = await testEgressProxies(t)()
  const target = await echo(t)
  for (const host of ['127.0.0.1', 'localhost']) {
    const { reply, socket } = await socks(port, host, target.port)
    t.same(reply, { succeeded: true, text: '127.0.0.1' }, 'the reply says where it leads')
    socket.end('what goes in')
    t.equal((await heard(socket)).toString(), 'what goes in')
  }
})

t.test('SOCKS: what fails has a code of the protocol, and one of Node', async (t) => {
  const { port, said } = await testEgressProxies(t)(agentIo({ blockedNetworks: ['10.0.0.0/8'] }))
  const closed = await closedPort()
  const reply = async (host: string, to: number, command?: number) =>
    (await socks(port, host, to, command)).reply?.text
  t.equal(await reply('10.1.2.3', 80), 'EACCES 10.1.2.3')
  t.equal(await reply('127.0.0.1', closed), 'ECONNREFUSED 127.0.0.1')
  t.equal(await reply('nobody.invalid', 80), 'ENOTFOUND')
  const codes = ['05000502', '05000505', '05000504']
  const asked = [
    Buffer.from([5, 1, 0, 5, 1, 0, 1, 10, 1, 2, 3, 0, 80]),
    Buffer.from([5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, closed >> 8, closed & 255]),
    Buffer.from([5, 1, 0, 5, 1, 0, 3, 14, ...Buffer.from('nobody.invalid'), 0, 80]),
  ]
  for (const [index, bytes] of asked.entries())
    t.equal((await ask(port, bytes)).toString('hex', 0, 4), codes[index])
  t.same(said, [
    "WARN 10.1.2.3 may not be reached: the agent's BLOCKED_NETWORKS and ALLOWED_NETWORKS forbid it",
  ])
})

t.test('SOCKS: to bind, datagrams, passwords and other versions are refused', async (t) => {
  const { port } = await testEgressProxies(t)()
  for (const command of [2, 3, 0xf1])
    t.equal(
      (await ask(port, Buffer.from([5, 1, 0, 5, command, 0, 1, 127, 0, 0, 1, 0, 80]))).toString('hex', 0, 4),
      '05000507',
    )
  t.equal((await ask(port, Buffer.from([5, 1, 2]))).toString('hex'), '05ff')
  t.equal((await ask(port, Buffer.from([4, 1, 0, 80, 127, 0, 0, 1, 0]))).toString('hex'), '')
  t.equal((await ask(port, Buffer.from([5, 1, 0, 5, 1, 0, 9, 1]))).toString('hex'), '0500')
})

t.test('SOCKS: names are resolved as those of checks are', async (t) => {
  const server = await nameServer(t, ({ packet, answer, send }) => {
    const [{ name, type } = { name: '', type: 'A' }] = packet.questions ?? []
    const records = ['192.0.2.1', '192.0.2.2'].map((data) => address(name, data))
    send(
      answer(type === 'A' && name === 'two.example' ? records : [], { rcode: name === 'no.example' ? 3 : 0 }),
    )
  })
  const { port } = await testEgressProxies(t)(agentIo({ dnsServers: [`127.0.0.1:${server.port}`] }))
  const resolve = (name: string, family = 0) =>
    ask(port, Buffer.from([5, 1, 0, 5, commands.resolve, 0, 3, name.length, ...Buffer.from(name), 0, family]))
  const both = '0500050000 01c0000201 0000 0500000 1c00002020000'.replaceAll(' ', '')
  t.equal((await resolve('two.example')).toString('hex'), both, 'one reply for each address')
  t.equal((await resolve('two.example', 4)).toString('hex'), both)
  t.match((await resolve('two.example', 6)).toString('latin1'), /ENOTFOUND/)
  t.match((await resolve('no.example')).toString('latin1'), /ENOTFOUND/)
  t.equal((await resolve('192.0.2.7')).toString('hex', 2), '05000001c00002070000')
})

t.test('HTTP: CONNECT makes a tunnel, or says in a sentence why not', async (t) => {
  const { port } = await testEgressProxies(t)(agentIo({ blockedNetworks: ['10.0.0.0/8'] }))
  const target = await echo(t)
  const socket = say(port, `CONNECT localhost:${target.port} HTTP/1.1\r\nHost: x\r\n\r\nearly `)
  socket.end('and late')
  t.equal((await heard(socket)).toString(), 'HTTP/1.1 200 Connection established\r\n\r\nearly and late')
  const connect = async (authority: string) =>
    (await ask(port, `CONNECT ${authority} HTTP/1.1\r\n\r\n`)).toString()
  t.match(await connect('10.1.2.3:443'), /^HTTP\/1.1 403 [\s\S]*10\.1\.2\.3:443 may not be reached: /)
  t.match(await connect('[::ffff:10.1.2.3]:443'), /^HTTP\/1.1 403 /)
  t.match(await connect(`127.0.0.1:${await closedPort()}`), /^HTTP\/1.1 502 [\s\S]*refused the connection/)
  t.match(await connect('nobody.invalid:443'), /^HTTP\/1.1 502 [\s\S]*nobody.invalid does not exist/)
  for (const bad of ['localhost', ':443', 'localhost:x', 'localhost:99999'])
    t.match(await connect(bad), /^HTTP\/1.1 400 /)
})

t.test('HTTP: a request for http is forwarded without what is between us and the client', async (t) => {
  const { port } = await testEgressProxies(t)()
  const target = await httpServer(t, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { method, url, rawHeaders } = request
      response.writeHead(201, { 'x-hop': 'mine', 'x-end': 'yours', connection: 'x-hop' })
      response.end(JSON.stringify({ method, url, rawHeaders, body: Buffer.concat(parts).toString() }))
    })
  })
  const answer = (
    await ask(
      port,
      `POST ${target.origin}/path?q=1#x HTTP/1.1\r\nHost: other.example\r\nX-Mine: a\r\nX-Private: b\r\nConnection: X-Private\r\n` +
        'Proxy-Authorization: Basic eDp5\r\nProxy-Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    )
  ).toString()
  t.match(answer, /^HTTP\/1.1 201 Created\r\n/)
  t.notMatch(answer, /x-hop/i)
  t.match(answer, /x-end: yours/)
  t.match(answer, /connection: close/i)
  const [, seen = ''] = /(\{.*\})/.exec(answer) ?? []
  t.same(JSON.parse(seen), {
    method: 'POST',
    url: '/path?q=1',
    body: 'hello',
    rawHeaders: [
      ...['Host', 'other.example', 'X-Mine', 'a', 'Transfer-Encoding', 'chunked', 'Connection', 'close'],
    ],
  })
  t.match(
    (await ask(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toString(),
    /^HTTP\/1.1 400 [\s\S]*This is a proxy/,
  )
  t.match(
    (await ask(port, 'GET https://x.example/ HTTP/1.1\r\nHost: x\r\n\r\n')).toString(),
    /^HTTP\/1.1 400 /,
  )
})

t.test('HTTP: an upgrade with a whole address becomes a tunnel', async (t) => {
  const { port } = await testEgressProxies(t)()
  const target = await tcpServer(t, (socket) => {
    socket.once('data', (head: Buffer) => socket.end(`HTTP/1.1 101 Go on\r\n\r\n${head}`))
  })
  const request = `GET ${target.origin}/chat HTTP/1.1\r\nHost: x.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nProxy-Authorization: x\r\n\r\n`
  t.equal(
    (await ask(port, request)).toString(),
    'HTTP/1.1 101 Go on\r\n\r\nGET /chat HTTP/1.1\r\nHost: x.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  )
})

t.test('HTTP: what a target sends that is no answer ends the connection, and nothing else', async (t) => {
  const { port, said } = await testEgressProxies(t)(agentIo({ blockedNetworks: ['10.0.0.0/8'] }))
  const answers = [
    ...['', 'nonsense\r\n\r\n', 'HTTP/1.1 000 Zero\r\n\r\n', 'HTTP/1.1 99 Small\r\n\r\n'],
    ...['HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', `HTTP/1.1 200 \u0001\r\n\r\n`],
    ...[`HTTP/1.1 200 OK\r\nA: ${'x'.repeat(100_000)}\r\n\r\n`, 'HTTP/1.1 200 OK\r\nX: a\u0000b\r\n\r\n'],
  ]
  for (const answer of answers) {
    const target = await answering(t, answer)
    const text = (await ask(port, `GET ${target.origin}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toString()
    t.equal(text, '', JSON.stringify(answer.slice(0, 40)))
  }
  const cut = await answering(t, 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')
  const text = (await ask(port, `GET ${cut.origin}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toString()
  t.match(text, /half$/)
  t.equal((await ask(port, 'GET http://10.1.2.3/ HTTP/1.1\r\nHost: x\r\n\r\n')).toString(), '')
  t.match(said, [/^WARN 10\.1\.2\.3 may not be reached/])
})

t.test('nobody is served before the run has begun, nor after it has ended', async (t) => {
  const egressProxy = await createEgressProxies()()
  const target = await echo(t)
  t.equal((await socks(egressProxy.port, '127.0.0.1', target.port)).reply, null)
  t.equal(target.connections(), 0)
  const said: string[] = []
  egressProxy.serve({ io: agentIo(), say: (_, msg) => said.push(msg) })
  const { socket } = await socks(egressProxy.port, '127.0.0.1', target.port)
  const ended = once(socket, 'end')
  socket.resume()
  await egressProxy.close()
  await ended
  const late = net.connect(egressProxy.port, '127.0.0.1')
  const [error] = await once(late, 'error')
  t.equal(error.code, 'ECONNREFUSED')
})

t.test('no way leads to a egress proxy of this agent', async (t) => {
  const open = testEgressProxies(t)
  const [mine, other] = [await open(), await open()]
  for (const port of [mine.port, other.port])
    for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', '::ffff:127.0.0.1', '0x7f.1', '127.1'])
      t.match((await socks(mine.port, host, port)).reply?.text, /^EACCES/, host)
  const request = `GET http://127.0.0.1:${other.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`
  t.equal((await ask(mine.port, request)).toString(), '')
  t.match(mine.said, [/^WARN 127\.0\.0\.1:\d+ may not be reached: it belongs to the agent/])
  t.same(other.said, [])
})

t.test('the address that was judged is the one that is connected to', async (t) => {
  let asked = 0
  const server = await nameServer(t, ({ answer, packet, send }) => {
    asked += 1
    // Whoever asked twice would get there.
    send(answer([address(packet.questions?.[0]?.name ?? '', asked === 1 ? '127.0.0.1' : '127.0.0.2')]))
  })
  const options = { dnsServers: [`127.0.0.1:${server.port}`], blockedNetworks: ['127.0.0.2'] }
  const { port } = await testEgressProxies(t)(agentIo(options))
  const target = await echo(t)
  t.same((await socks(port, 'turns.example', target.port)).reply, { succeeded: true, text: '127.0.0.1' })
  t.equal(asked, 1)
  t.match((await socks(port, 'turns.example', target.port)).reply, { succeeded: false, text: /^EACCES/ })
})

t.test('a client that goes away takes its way with it', async (t) => {
  const { port } = await testEgressProxies(t)()
  let open = 0
  const target = await tcpServer(t, (socket) => {
    open += 1
    socket.on('close', () => {
      open -= 1
    })
  })
  const { socket } = await socks(port, '127.0.0.1', target.port)
  await until('the way', () => open === 1)
  socket.destroy()
  await until('its end', () => open === 0)
  t.equal(target.connections(), 1)
})
