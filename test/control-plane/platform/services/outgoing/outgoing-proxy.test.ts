// Runs in a process of its own: it changes which authorities the process trusts.
/** Own requests of the control plane by the operator's proxy: Debian's proxies as they are run, and one that knows names that nobody here does. */
import http from 'node:http'
import net from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import t, { type Test } from 'tap'
import { createCertificateReader } from '../../../../../control-plane/platform/services/outgoing/certificate-reader.ts'
import {
  createOutgoing,
  type OutgoingRequest,
} from '../../../../../control-plane/platform/services/outgoing/outgoing.ts'
import type { OutgoingError } from '../../../../../control-plane/platform/services/outgoing/outgoing-error.ts'
import { createOutgoingNetworks } from '../../../../../control-plane/platform/services/outgoing/outgoing-networks.ts'
import { createAuthority } from '../../../../support/certificates.ts'
import { missing, proxyPassword, squid, tinyproxy } from '../../../../support/proxies.ts'
import { closedPort, httpServer, httpsServer, listening } from '../../../../support/servers.ts'

const authority = createAuthority()
const credentials = authority.issue({ altName: 'IP:127.0.0.1' })
const named = authority.issue({ altName: 'DNS:shop.example.com', days: 9 })
setDefaultCACertificates([...getCACertificates('default'), authority.pem])

const withLoopback = createOutgoingNetworks(['127.0.0.0/8', '::1/128'])
const by = (url: string | null, more: object = {}) => ({
  networks: withLoopback,
  proxies: { http: url, https: url, none: null },
  ...more,
})

const failure = (work: Promise<unknown>): Promise<OutgoingError> =>
  work.then(
    () => {
      throw new Error('it was sent')
    },
    (error: OutgoingError) => error,
  )

/** Answers with what it was asked. */
const echo: http.RequestListener = (request, response) => {
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    const { method, url, headers } = request
    response.writeHead(201, { 'x-a': 'b' }).end(JSON.stringify({ method, url, headers, body }))
  })
}

/** Leads every name to one server; `asked`: what it was told. */
const knowing = async (t: Test, port: () => number) => {
  const asked: string[] = []
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.host}`)
    const path = new URL(request.url ?? '').pathname
    const { method, headers } = request
    request.pipe(
      http.request({ port: port(), method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      }),
    )
  })
  server.on('connect', (request, socket: net.Socket) => {
    asked.push(`CONNECT ${request.url}`)
    const onward = net.connect(port(), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy()).on('close', () => onward.destroy())
  })
  return { ...(await listening(t, server, 'http')), asked }
}

for (const [name, start] of [
  ['tinyproxy', tinyproxy],
  ['squid', squid],
] as const)
  t.test(`own requests leave by ${name}`, { skip: missing(name) }, async (t) => {
    const { url } = await start(t)
    const plain = await httpServer(t, echo)
    const secure = await httpsServer(t, credentials, echo)
    const outgoing = createOutgoing(by(url))
    for (const { origin } of [plain, secure])
      for (const body of ['hello', 'again']) {
        const headers = { 'X-In': 'y', Accept: 'text/plain' }
        const answer = await outgoing.request({ method: 'POST', url: `${origin}/p?q=1`, headers, body })
        t.equal(answer.status, 201)
        t.equal(answer.headers['x-a'], 'b')
        t.match(JSON.parse(answer.body.toString()), {
          ...{ method: 'POST', url: '/p?q=1', body },
          headers: { 'x-in': 'y', host: new URL(origin).host, 'proxy-authorization': undefined },
        })
      }
    t.equal(secure.connections(), 1, 'one tunnel for both')

    await t.test('wrong credentials are said, without them', async (t) => {
      const wrong = createOutgoing(by(url.replace(proxyPassword, 'wrongPassword')))
      const none = createOutgoing(by(url.replace(/\/\/.*@/, '//')))
      for (const { origin } of [plain, secure])
        for (const [outgoing, wanted] of [
          [wrong, 'other credentials'],
          [none, 'credentials'],
        ] as const) {
          const error = await failure(outgoing.request({ method: 'GET', url: origin }))
          t.match(error, { code: 'PROXY_AUTHENTICATION_REQUIRED', permanent: false })
          t.match(error.message, /^The proxy 127\.0\.0\.1:\d+ answered 40[17]: it wants/)
          t.ok(error.message.endsWith(`wants ${wanted}`), error.message)
        }
    })
    await t.test('a target that the proxy does not reach is a refusal of the proxy', async (t) => {
      for (const scheme of ['http', 'https']) {
        const gone = `${scheme}://127.0.0.1:${await closedPort()}/`
        const error = await failure(outgoing.request({ method: 'GET', url: gone }))
        t.match(error, {
          code: 'PROXY_REFUSED',
          permanent: false,
          message: /did not connect: it answered 50/,
        })
      }
    })
  })

t.test('a proxy that speaks TLS', { skip: missing('squid') }, async (t) => {
  const { url } = await squid(t, { tls: credentials })
  const plain = await httpServer(t, echo)
  const secure = await httpsServer(t, credentials, echo)
  const outgoing = createOutgoing(by(url))
  for (const { origin } of [plain, secure])
    t.equal((await outgoing.request({ method: 'GET', url: origin })).status, 201)
})

t.test('a proxy that is away, and one that is none', async (t) => {
  const away = createOutgoing(by(`http://me:${proxyPassword}@127.0.0.1:${await closedPort()}`))
  const silent = await listening(t, net.createServer(), 'http')
  const none = createOutgoing(by(silent.origin))
  for (const url of ['http://127.0.0.1:1/', 'https://127.0.0.1:1/']) {
    const error = await failure(away.request({ method: 'GET', url }))
    t.match(error, { code: 'PROXY_ECONNREFUSED', permanent: false })
    t.match(error.message, /^The proxy 127\.0\.0\.1:\d+ could not be used: ECONNREFUSED$/)
    t.match(await failure(none.request({ method: 'GET', url, timeoutMs: 150 })), { code: 'TIMEOUT' })
  }
})

t.test('what is judged behind a proxy', async (t) => {
  const target = await httpServer(t, echo)
  const proxy = await knowing(t, () => target.port)
  const internet = createOutgoingNetworks([])
  const lookups: string[] = []
  const outgoing = createOutgoing(
    by(proxy.origin, {
      networks: internet,
      lookup: async (host: string) => {
        lookups.push(host)
        if (host === 'inside.example') return [{ address: '10.0.0.1', family: 4 }]
        if (host === 'mixed.example')
          return [
            { address: '8.8.8.8', family: 4 },
            { address: '::1', family: 6 },
          ]
        if (host === 'outside.example') return [{ address: '8.8.8.8', family: 4 }]
        throw Object.assign(new Error('not here'), { code: 'ENOTFOUND' })
      },
    }),
  )
  const ask = (url: string, more: Partial<OutgoingRequest> = {}) =>
    outgoing.request({ method: 'GET', url, ...more })
  for (const host of ['127.0.0.1', '[::1]', '169.254.169.254', '0x7f.1', 'inside.example', 'mixed.example'])
    for (const scheme of ['http', 'https'])
      t.match(
        await failure(ask(`${scheme}://${host}/`)),
        { code: 'BLOCKED_BY_POLICY', permanent: true },
        host,
      )
  t.strictSame(proxy.asked, [], 'the proxy was not even asked')
  for (const host of ['outside.example', 'only-there.example'])
    t.equal((await ask(`http://${host}/p`)).status, 201, host)
  await ask('http://outside.example/h', {
    headers: { Host: 'inside.example', 'Proxy-Authorization': 'Basic eDp5', 'X-In': 'y' },
  })
  t.strictSame(proxy.asked, [
    'GET http://outside.example/p outside.example',
    'GET http://only-there.example/p only-there.example',
    'GET http://outside.example/h outside.example',
  ])
  t.ok(lookups.includes('only-there.example'))
})

t.test('a name server that never answers holds nobody up for longer than a second', async (t) => {
  const target = await httpServer(t, echo)
  const proxy = await knowing(t, () => target.port)
  let asked = 0
  const outgoing = createOutgoing(
    by(proxy.origin, {
      lookup: () => {
        asked += 1
        return new Promise(() => undefined)
      },
    }),
  )
  const ask = () => outgoing.request({ method: 'GET', url: 'http://shop.example/' })
  await Promise.all([ask(), ask()])
  for (let i = 0; i < 5; i++) await ask()
  t.equal(asked, 2, 'it is not asked again while it owes two answers')
  t.equal(proxy.asked.length, 7)
})

t.test('NO_PROXY leads past the proxy, to the address that was judged', async (t) => {
  const target = await httpServer(t, echo)
  const proxies = { http: `http://127.0.0.1:${await closedPort()}`, https: null, none: '.example' }
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  const direct = createOutgoing({ networks: withLoopback, proxies, lookup })
  const url = `http://shop.example:${target.port}/`
  t.equal((await direct.request({ method: 'GET', url })).status, 201)
  const closed = createOutgoing({ networks: createOutgoingNetworks([]), proxies, lookup })
  t.match(await failure(closed.request({ method: 'GET', url })), { code: 'BLOCKED_BY_POLICY' })
})

t.test('a certificate is looked at through a tunnel', async (t) => {
  const target = await httpsServer(t, named, echo)
  const proxy = await knowing(t, () => target.port)
  const lookup = async () => []
  const read = (url: string) => createCertificateReader(by(url, { lookup })).expiresAt('shop.example.com')
  const days = ((await read(proxy.origin)) - Date.now()) / 86_400_000
  t.ok(days > 8.9 && days <= 9, String(days))
  t.strictSame(proxy.asked, ['CONNECT shop.example.com:443'])
  await t.rejects(read(`http://127.0.0.1:${await closedPort()}`), {
    name: 'CertificateError',
    message: /^The proxy .* could not be used: ECONNREFUSED$/,
  })
})
