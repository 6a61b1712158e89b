import t from 'tap'
import { createOutgoing } from '../../../../../control-plane/platform/services/outgoing/outgoing.ts'
import type { OutgoingError } from '../../../../../control-plane/platform/services/outgoing/outgoing-error.ts'
import { createOutgoingNetworks } from '../../../../../control-plane/platform/services/outgoing/outgoing-networks.ts'
import { closedPort, httpServer, tcpServer } from '../../../../support/servers.ts'

const internet = createOutgoingNetworks([])
const withLoopback = createOutgoingNetworks(['127.0.0.0/8', '::1/128'])
const open = createOutgoing({ networks: withLoopback })

const failure = async (work: Promise<unknown>): Promise<OutgoingError> =>
  work.then(
    () => {
      throw new Error('it was sent')
    },
    (error: OutgoingError) => error,
  )

t.test('addresses that are not the internet are refused in every spelling', async (t) => {
  const refused = [
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fd00::1',
    'fc00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    'not-an-address',
    '',
  ]
  for (const address of refused) t.equal(internet.allows(address), false, address)
  for (const address of [
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
  ])
    t.equal(internet.allows(address), true, address)
})

t.test('EGRESS_ALLOWED_NETWORKS opens what it names and nothing else', async (t) => {
  const networks = createOutgoingNetworks(['10.1.0.0/16', 'fd00::/8', '192.168.7.7'])
  for (const address of ['10.1.2.3', 'fd12::1', '192.168.7.7', '::ffff:10.1.2.3'])
    t.ok(networks.allows(address), address)
  for (const address of ['10.2.0.1', 'fc00::1', '192.168.7.8', '127.0.0.1'])
    t.notOk(networks.allows(address), address)
  // ISATAP: an address of the internet that carries one of the inside.
  t.notOk(networks.allows('2600::5efe:10.2.0.1'))
  t.ok(networks.allows('2600::5efe:10.1.2.3'))
})

t.test('a request is sent and its answer comes back', async (t) => {
  const server = await httpServer(t, (request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () =>
      response
        .writeHead(201, { 'x-a': 'b' })
        .end(`${request.method} ${request.url} ${request.headers['x-in']} ${body}`),
    )
  })
  const answer = await open.request({
    method: 'POST',
    url: `${server.origin}/p?q=1`,
    headers: { 'x-in': 'y' },
    body: 'hello',
  })
  t.equal(answer.status, 201)
  t.equal(answer.headers['x-a'], 'b')
  t.equal(answer.body.toString(), 'POST /p?q=1 y hello')
})

t.test('a private target is refused before anything is sent', async (t) => {
  const server = await httpServer(t, (_, response) => response.end())
  const closed = createOutgoing({ networks: internet })
  const urls = [
    server.origin,
    `http://localhost:${server.port}`,
    `http://[::ffff:127.0.0.1]:${server.port}`,
    `http://2130706433:${server.port}`,
    `http://0x7f.1:${server.port}`,
  ]
  for (const url of urls) {
    const error = await failure(closed.request({ method: 'GET', url }))
    t.match(error, { name: 'OutgoingError', code: 'BLOCKED_BY_POLICY', permanent: true }, url)
  }
  t.equal(server.connections(), 0)
})

t.test('the connection goes to the address that was judged, whatever the name says later', async (t) => {
  const server = await httpServer(t, (request, response) => response.end(request.headers.host))
  let asked = 0
  const outgoing = createOutgoing({
    networks: withLoopback,
    lookup: async () => {
      asked += 1
      return [{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]
    },
  })
  const { body } = await outgoing.request({ method: 'GET', url: `http://rebinding.example:${server.port}/` })
  t.equal(body.toString(), `rebinding.example:${server.port}`)
  t.equal(asked, 1)
})

t.test('a name with one address inside is refused', async (t) => {
  const outgoing = createOutgoing({
    networks: internet,
    lookup: async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ],
  })
  t.match(await failure(outgoing.request({ method: 'GET', url: 'http://mixed.example/' })), {
    code: 'BLOCKED_BY_POLICY',
  })
})

t.test('redirects are answers: nobody follows them', async (t) => {
  const inner = await httpServer(t, (_, response) => response.end('secret'))
  const outer = await httpServer(t, (_, response) =>
    response.writeHead(302, { location: inner.origin }).end(),
  )
  const { status, body } = await open.request({ method: 'GET', url: outer.origin })
  t.equal(status, 302)
  t.equal(body.length, 0)
  t.equal(inner.connections(), 0)
})

t.test('size and time are bounded, and failures have names', async (t) => {
  const big = await httpServer(t, (_, response) => response.end('x'.repeat(5000)))
  t.match(await failure(open.request({ method: 'GET', url: big.origin, maxBytes: 4999 })), {
    code: 'TOO_LARGE',
  })
  t.equal((await open.request({ method: 'GET', url: big.origin, maxBytes: 5000 })).body.length, 5000)
  const silent = await tcpServer(t, () => undefined)
  t.match(await failure(open.request({ method: 'GET', url: silent.origin, timeoutMs: 150 })), {
    code: 'TIMEOUT',
    permanent: false,
  })
  const dripping = await httpServer(t, (_, response) => response.write('x'))
  t.match(await failure(open.request({ method: 'GET', url: dripping.origin, timeoutMs: 150 })), {
    code: 'TIMEOUT',
  })
  const forever = createOutgoing({ networks: internet, lookup: () => new Promise(() => undefined) })
  t.match(await failure(forever.request({ method: 'GET', url: 'http://slow.example', timeoutMs: 100 })), {
    code: 'TIMEOUT',
  })
  t.match(await failure(open.request({ method: 'GET', url: `http://127.0.0.1:${await closedPort()}` })), {
    code: 'ECONNREFUSED',
    permanent: false,
  })
  for (const url of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'nonsense', 'http://user:pass@127.0.0.1/'])
    t.match(
      await failure(open.request({ method: 'GET', url })),
      { code: 'INVALID_URL', permanent: true },
      url,
    )
})
