import type { Socket } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { DeadlinePassed, RunCancelled } from '../../../agent/base/deadline.ts'
import { runUrl } from '../../../agent/checks/url.ts'
import type { RealIo } from '../../../agent/program/real-io.ts'
import type { UrlSpec } from '../../../protocol/checks/url.ts'
import { agentIo } from '../../support/agent-io.ts'
import { urlSpec } from '../../support/fake-control-plane.ts'
import { runContext } from '../../support/run-context.ts'
import { runUrlCheck as run } from '../../support/run-url-check.ts'
import { answering, closedPort, httpServer, tcpServer } from '../../support/servers.ts'

const never = new AbortController().signal

t.test('an answer is measured, judged and shown', async (t) => {
  const seen: unknown[] = []
  const server = await httpServer(t, (request, response) => {
    seen.push(request.headers)
    response.setHeader('set-cookie', ['a=1', 'b=2'])
    response.setHeader('content-type', 'text/plain')
    response.end('hello')
  })
  const assertions: UrlSpec['request']['assertions'] = [
    { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
  ]
  const {
    failure,
    responseTime,
    assertions: outcomes,
    metrics,
    detail,
  } = await run(t, `${server.origin}/a?b=c`, { change: { assertions } })
  t.equal(failure, null)
  t.match(outcomes, [{ order: 0, passed: true, actual: 200, target: 200, error: null }])
  t.match(detail.response, {
    status: 200,
    statusText: 'OK',
    body: 'hello',
    bodyBytes: 5,
    truncated: false,
    remoteAddress: '127.0.0.1',
  })
  t.equal(detail.response?.headers['set-cookie'], '[secret]', 'cookies are never stored')
  t.same(detail.request.params, { b: 'c' })
  t.match(seen, [{ 'user-agent': /^Watchpost\/\d/, connection: 'close', host: `127.0.0.1:${server.port}` }])
  const phases = detail.response?.timingPhases
  t.equal(phases?.tls, null)
  const parts = [phases?.wait, phases?.dns, phases?.tcp, phases?.firstByte, phases?.download].map(Number)
  const sum = parts.reduce((a, b) => a + b, 0)
  t.ok(Math.abs(sum - Number(phases?.total)) < 0.1, 'the phases add up to the total')
  t.equal(responseTime, Math.round(Number(phases?.total)))
  t.same(Object.keys(metrics).sort(), ['dns', 'download', 'firstByte', 'tcp', 'total', 'wait'])
})

t.test('every run has a connection of its own', async (t) => {
  const server = await httpServer(t, (_, response) => response.end())
  await run(t, server.origin)
  await run(t, server.origin)
  t.equal(server.connections(), 2)
})

t.test('4xx and 5xx fail unless shouldFail or an assertion on the status says otherwise', async (t) => {
  const { origin } = await httpServer(t, (_, response) => response.writeHead(503).end('down'))
  const plain = await run(t, origin)
  t.match(plain.failure, { code: 'HTTP_STATUS', network: false })
  t.equal(plain.detail.requestError, null)
  t.equal((await run(t, origin, { change: { shouldFail: true } })).failure, null)
  const judged = await run(t, origin, {
    change: { assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }] },
  })
  t.equal(judged.failure, null)
  t.match(judged.assertions, [{ passed: false, error: 'expected status code to equal 200 but it was 503' }])
})

t.test('redirects', async (t) => {
  const server = await httpServer(t, (request, response) => {
    const to = { '/': '/one', '/one': 'two', '/loop': '/loop', '/odd': 'ftp://example.org/', '/none': '' }[
      request.url ?? ''
    ]
    if (to === undefined) return response.end(`at ${request.url}`)
    response.writeHead(request.url === '/one' ? 307 : 302, to === '' ? {} : { location: to }).end('moved')
  })
  await t.test('are followed, relative ones too, and listed', async (t) => {
    const { failure, detail } = await run(t, server.origin)
    t.equal(failure, null)
    t.equal(detail.response?.body, 'at /two')
    t.equal(detail.response?.href, `${server.origin}/two`)
    t.match(detail.response?.redirects, [
      { status: 302, to: `${server.origin}/one` },
      { status: 307, to: `${server.origin}/two` },
    ])
  })
  await t.test('are answers when the check does not follow them, or when they lead nowhere', async (t) => {
    t.equal(
      (await run(t, server.origin, { change: { followRedirects: false } })).detail.response?.status,
      302,
    )
    t.equal((await run(t, `${server.origin}/none`)).failure, null)
  })
  await t.test('end after ten', async (t) => {
    const { failure, detail } = await run(t, `${server.origin}/loop`)
    t.match(failure, { code: 'TOO_MANY_REDIRECTS', network: false })
    t.equal(detail.response?.redirects.length, 10)
  })
  await t.test('lead to http and https only', async (t) => {
    t.match((await run(t, `${server.origin}/odd`)).failure, { code: 'INVALID_REDIRECT' })
  })
})

/** Answers the first request with a redirect of those header bytes, later ones with their own request line. */
const redirecting = (t: Test, locations: readonly Buffer[]) => {
  let requests = 0
  return tcpServer(t, (socket) =>
    socket.once('data', (part) => {
      requests += 1
      const [line = ''] = part.toString('latin1').split('\r\n')
      const ok = `HTTP/1.1 200 OK\r\nContent-Length: ${line.length}\r\n\r\n${line}`
      const fields = locations.flatMap((bytes) => [Buffer.from('Location: '), bytes, Buffer.from('\r\n')])
      const moved = [Buffer.from('HTTP/1.1 302 Found\r\n'), ...fields, Buffer.from('\r\n')]
      socket.end(requests === 1 ? Buffer.concat(moved) : ok)
    }),
  )
}

t.test('a Location is bytes', async (t) => {
  const locations = {
    'UTF-8': { bytes: Buffer.from('/café/日本?q=ü'), line: '/caf%C3%A9/%E6%97%A5%E6%9C%AC?q=%C3%BC' },
    'UTF-8 that ends in what looks like a blank': { bytes: Buffer.from('/voilà'), line: '/voil%C3%A0' },
    'Latin-1': { bytes: Buffer.from('/caf\xe9', 'latin1'), line: '/caf%E9' },
    'escaped already': { bytes: Buffer.from('/caf%C3%A9'), line: '/caf%C3%A9' },
  }
  for (const [name, { bytes, line }] of Object.entries(locations)) {
    const { origin } = await redirecting(t, [bytes])
    const { failure, detail } = await run(t, origin)
    t.equal(failure, null)
    t.equal(detail.response?.body, `GET ${line} HTTP/1.1`, name)
    t.match(detail.response?.redirects, [{ to: `${origin}${line}` }])
  }
})

t.test('the same Location twice is one, two different ones are none', async (t) => {
  const same = await redirecting(t, [Buffer.from('/a'), Buffer.from('/a')])
  t.equal((await run(t, same.origin)).detail.response?.body, 'GET /a HTTP/1.1')
  const seen = await redirecting(t, [Buffer.from('/a'), Buffer.from('/a')])
  t.equal(
    (await run(t, seen.origin, { change: { followRedirects: false } })).detail.response?.headers['location'],
    '/a',
  )
  for (const [first, second] of [
    ['/a%2fb~c', '{}/a%2Fb%7ec#there'],
    ['/a%2fb~c', '../x/../a%2Fb~c'],
    ['{}/a%2Fb~c', 'HTTP://127.0.0.1:{port}/./a%2fb%7Ec'],
  ] as const) {
    const written = (text: string): Buffer =>
      Buffer.from(text.replace('{}', spelled.origin).replace('{port}', new URL(spelled.origin).port))
    const spellings: Buffer[] = []
    const spelled = await redirecting(t, spellings)
    spellings.push(written(first), written(second))
    const { failure, detail } = await run(t, spelled.origin)
    t.equal(failure, null, `${first} and ${second}`)
    t.match(detail.response?.body, /^GET \/a%2fb(~|%7e)c HTTP/i)
  }
  const different = await redirecting(t, [Buffer.from('/a'), Buffer.from('/b')])
  t.match((await run(t, different.origin)).failure, {
    code: 'INVALID_REDIRECT',
    message: 'The request was redirected to 2 different addresses at once',
  })
})

t.test('header values and the reason are UTF-8 where they can be, else Latin-1', async (t) => {
  const head = [
    Buffer.from('HTTP/1.1 200 Très bien\r\nX-Utf8: déjà\r\nX-Latin1: '),
    Buffer.from('d\xe9j\xe0', 'latin1'),
    Buffer.from('\r\nX-Cut: '),
    Buffer.from('日本').subarray(0, 5),
    Buffer.from('\r\nContent-Length: 0\r\n\r\n'),
  ]
  const { origin } = await answering(t, Buffer.concat(head))
  const { detail } = await run(t, origin)
  t.equal(detail.response?.statusText, 'Très bien')
  t.match(detail.response?.headers, {
    'x-utf8': 'déjà',
    'x-latin1': 'déjà',
    'x-cut': Buffer.from('日本').toString('latin1', 0, 5),
  })
})

t.test('credentials of the address stay with its origin and out of the result', async (t) => {
  const seen: (string | undefined)[] = []
  const other = await httpServer(t, (request, response) => {
    seen.push(request.headers.authorization)
    response.end()
  })
  const server = await httpServer(t, (request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(302, { location: other.origin }).end()
  })
  const { detail } = await run(t, `http://me:hunter%402@127.0.0.1:${server.port}/`)
  t.same(seen, [`Basic ${Buffer.from('me:hunter@2').toString('base64')}`, undefined])
  t.notMatch(JSON.stringify(detail), /hunter/)
})

t.test('addresses that may not be reached are refused at every hop', async (t) => {
  const inside = await httpServer(t, (_, response) => response.end('secret'))
  const io = agentIo({ blockedNetworks: ['127.0.0.0/8'] })
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433'])
    t.match(
      (await run(t, `http://${host}:${inside.port}/`, { io })).failure,
      { code: 'BLOCKED_BY_POLICY', network: false },
      host,
    )
  t.equal(inside.connections(), 0)
})

t.test('failures of the target are told apart', async (t) => {
  const port = await closedPort()
  const refused = await run(t, `http://127.0.0.1:${port}/`)
  t.match(refused.failure, {
    code: 'ECONNREFUSED',
    network: true,
    message: new RegExp(`127.0.0.1:${port} refused`),
  })
  t.equal(refused.detail.response, null)
  t.equal(refused.detail.requestError, refused.failure?.message)
  t.match((await run(t, 'http://nothing.invalid/')).failure, { code: /ENOTFOUND|EAI_AGAIN/, network: true })
  t.match((await run(t, 'http://a b/')).failure, { code: 'INVALID_URL' })
  const silent = await tcpServer(t, (socket) => socket.once('data', () => socket.end()))
  t.match((await run(t, silent.origin)).failure, { code: 'ECONNRESET', message: /without an answer/ })
  const resetting = await tcpServer(t, (socket) =>
    socket.once('data', () =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', () => socket.resetAndDestroy()),
    ),
  )
  t.match((await run(t, resetting.origin)).failure, { code: 'ECONNRESET', network: true })
  const cut = await answering(t, 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc')
  t.match((await run(t, cut.origin)).failure, { code: 'ECONNRESET', message: /in the middle/ })
  for (const nonsense of [
    'SSH-2.0-OpenSSH_9\r\n\r\n',
    'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  ])
    t.match(
      (await run(t, (await answering(t, nonsense)).origin)).failure,
      { code: 'MALFORMED_RESPONSE', network: false },
      nonsense,
    )
  const wide = await answering(t, `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}\r\n`)
  t.match((await run(t, wide.origin)).failure, { code: 'HEADERS_TOO_LARGE' })
})

t.test('a deadline ends whatever the target does, and says how far it got', async (t) => {
  // It passes when the target has gone on for a while, however long that took.
  let pass = (): void => undefined
  const goOn = (socket: Socket, act: () => void): void => {
    let turns = 0
    const timer = setInterval(() => {
      act()
      turns += 1
      if (turns > 20) pass()
    }, 5)
    socket.on('close', () => clearInterval(timer))
  }
  const black = await tcpServer(t, (socket) => socket.once('data', () => goOn(socket, () => undefined)))
  const drip = await tcpServer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    goOn(socket, () => socket.write('x-drip: 1\r\n'))
  })
  const endless = await tcpServer(t, (socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      goOn(socket, () => socket.write(Buffer.alloc(1024)))
    })
  })
  const cases = [
    [black, /had not answered/],
    [drip, /had not answered/],
    [endless, /still sending/],
  ] as const
  for (const [server, message] of cases) {
    const controller = new AbortController()
    pass = () => controller.abort(new DeadlinePassed(150))
    const { failure } = await run(t, server.origin, { signal: controller.signal })
    t.match(failure, { code: 'TIMEOUT', network: true, message })
  }
})

t.test('a cancelled run is no observation', async (t) => {
  const { origin } = await tcpServer(t, () => undefined)
  const controller = new AbortController()
  const io = agentIo()
  const running = runUrl(urlSpec(origin) as UrlSpec, io, runContext(io, controller.signal))
  controller.abort(new RunCancelled())
  await t.rejects(running, RunCancelled)
})

t.test('bodies', async (t) => {
  const text = 'grüße '.repeat(1000)
  await t.test('are decoded, whatever the coding', async (t) => {
    const codings = [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['deflate, gzip', (plain: Buffer) => gzipSync(deflateRawSync(plain))],
    ] as const
    for (const [coding, encode] of codings) {
      const { origin } = await httpServer(t, (_, response) =>
        response.setHeader('content-encoding', coding).end(encode(Buffer.from('plain text'))),
      )
      t.match((await run(t, origin)).detail.response, { body: 'plain text', bodyBytes: 10 }, coding)
    }
  })
  await t.test('that are not what they say fail the check', async (t) => {
    const { origin } = await httpServer(t, (_, response) =>
      response.setHeader('content-encoding', 'gzip').end('not gzip'),
    )
    t.match((await run(t, origin)).failure, { code: 'CONTENT_DECODING', network: false })
  })
  await t.test('are cut to 10 KB at a whole character', async (t) => {
    const { origin } = await httpServer(t, (_, response) => response.end(text + text))
    const { detail } = await run(t, origin)
    t.equal(detail.response?.truncated, true)
    t.ok((text + text).startsWith(String(detail.response?.body)))
    t.equal(detail.response?.bodyBytes, Buffer.byteLength(text + text))
  })
  await t.test('of small images are kept, of other binaries described', async (t) => {
    const bytes = Buffer.from([0x89, 0x50, 0, 1])
    const { origin } = await httpServer(t, (request, response) =>
      response.setHeader('content-type', request.url?.slice(1) ?? '').end(bytes),
    )
    for (const type of ['image/png', 'image/apng', 'image/webp', 'image/x-icon'])
      t.match((await run(t, `${origin}/${type}`)).detail.response, {
        body: bytes.toString('base64'),
        bodyEncoding: 'base64',
      })
    for (const type of ['image/tiff', 'application/pdf', 'text/plain'])
      t.match((await run(t, `${origin}/${type}`)).detail.response, {
        body: `[binary body: ${type}, 4 bytes]`,
      })
  })
  await t.test('are read in the charset that their mark or their type names', async (t) => {
    const big = Buffer.from('grüße', 'utf16le').swap16()
    const mark = Buffer.from('\ufeff', 'utf16le')
    const cases: [string, Buffer, string][] = [
      ['text/plain', Buffer.concat([mark, Buffer.from('grüße', 'utf16le')]), 'grüße'],
      ['text/plain; charset=utf-8', Buffer.concat([Buffer.from([0xfe, 0xff]), big]), 'grüße'],
      ['text/plain; charset=utf-16', Buffer.concat([Buffer.from([0xfe, 0xff]), big]), 'grüße'],
      ['text/plain; charset=UTF-16BE', big, 'grüße'],
      ['', Buffer.concat([mark, Buffer.from('grüße', 'utf16le')]), 'grüße'],
      ['text/plain', Buffer.from('\ufeffgrüße'), 'grüße'],
      ['text/plain; charset="iso-8859-1"', Buffer.from('grüße', 'latin1'), 'grüße'],
      ["text/plain; charset='iso-8859-1'", Buffer.from('grüße', 'latin1'), 'grüße'],
      ['text/plain; Charset = "iso\\-8859-1" ; a=b', Buffer.from('grüße', 'latin1'), 'grüße'],
      ['text/plain; a="; charset=utf-16"; charset=iso-8859-1', Buffer.from('grüße', 'latin1'), 'grüße'],
      ['text/plain; charset="iso_8859-1:1987"', Buffer.from('grüße', 'latin1'), 'grüße'],
      ['text/plain; charset=nonsense', Buffer.from('grüße'), 'grüße'],
      ['text/plain', Buffer.from('grüß').subarray(0, 5), 'grü\ufffd'],
      ['text/plain; charset=utf-16le', Buffer.from('ab', 'utf16le').subarray(0, 3), 'a\ufffd'],
    ]
    for (const [type, bytes, text] of cases) {
      const head = `HTTP/1.1 200 OK\r\n${type === '' ? '' : `Content-Type: ${type}\r\n`}Content-Length: ${bytes.length}\r\n\r\n`
      const { origin } = await answering(t, Buffer.concat([Buffer.from(head), bytes]))
      t.match((await run(t, origin)).detail.response, { body: text, truncated: false }, type)
    }
  })
  await t.test('are read up to 25 MB, and decoded no further than the start of a bomb', async (t) => {
    const cap = 25 * 1024 * 1024
    const bomb = gzipSync(Buffer.alloc(60 * 1024 * 1024))
    const { origin } = await httpServer(t, (request, response) => {
      if (request.url === '/bomb') return response.setHeader('content-encoding', 'gzip').end(bomb)
      response.end(Buffer.alloc(cap + 1000, 'a'))
    })
    const large = await run(t, `${origin}/large`)
    t.equal(large.failure, null)
    t.match(large.detail.response, { truncated: true, bodyBytes: cap })
    const bombed = await run(t, `${origin}/bomb`)
    t.equal(bombed.failure, null)
    t.equal(bombed.detail.response?.truncated, true)
    t.ok(Number(bombed.detail.response?.bodyBytes) < cap)
  })
})

t.test('IPv6 checks use IPv4 where the machine has no IPv6', async (t) => {
  const server = await httpServer(t, (_, response) => response.end('four'))
  const io = agentIo()
  const off: RealIo = {
    ...io,
    lookup: async (_, family) => [
      family === 6 ? { address: 'fd00::1', family } : { address: '127.0.0.1', family },
    ],
    connect: (options) => {
      if (options.host !== 'fd00::1') return io.connect(options)
      const socket = io.connect({ host: '127.0.0.1', port: 1 })
      socket.destroy(Object.assign(new Error('off'), { code: 'EADDRNOTAVAIL' }))
      return socket
    },
  }
  const { failure, detail } = await run(t, `http://six.test:${server.port}/`, {
    io: off,
    change: { ipFamily: 'IPv6' },
  })
  t.equal(failure, null)
  t.equal(detail.response?.remoteAddress, '127.0.0.1')
})

t.test('this machine running out of sockets is not the failure of a target', async (t) => {
  const io = agentIo()
  const full: RealIo = {
    ...io,
    connect: (options) =>
      io.connect(options).destroy(Object.assign(new Error('too many'), { code: 'EMFILE' })),
  }
  await t.rejects(runUrl(urlSpec('http://127.0.0.1:9/') as UrlSpec, full, runContext(full, never)), {
    code: 'EMFILE',
  })
})
