import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { runJob } from '../../../agent/jobs/run-job.ts'
import type { RealIo } from '../../../agent/program/real-io.ts'
import type { ApiSpec } from '../../../protocol/checks/api.ts'
import { HttpCheckResult } from '../../../protocol/checks/http-result.ts'
import type { Job } from '../../../protocol/job.ts'
import { Outcome } from '../../../protocol/result.ts'
import { compile } from '../../../protocol/validate.ts'
import { agentIo } from '../../support/agent-io.ts'
import { apiRequest } from '../../support/api-request.ts'
import { createCanaries } from '../../support/canaries.ts'
import { createAuthority } from '../../support/certificates.ts'
import { urlJob } from '../../support/fake-control-plane.ts'
import { heldTimer } from '../../support/held-timer.ts'
import { answering, closedPort, httpServer, httpsServer, tcpServer } from '../../support/servers.ts'

const validOutcome = compile(Outcome)
const validDetail = compile(HttpCheckResult)

type Change = Partial<ApiSpec['request']> & {
  job?: Partial<Job>
  spec?: Partial<ApiSpec>
  variables?: Record<string, string>
  io?: RealIo
}

const apiJob = (url: string, { job = {}, spec = {}, variables = {}, io: _, ...request }: Change): Job =>
  urlJob('', {
    checkType: 'API',
    checkName: 'Orders',
    variables: Object.entries(variables).map(([key, value]) => ({ key, value, secret: false })),
    spec: {
      request: apiRequest(url, request),
      shouldFail: false,
      setupScripts: [],
      tearDownScripts: [],
      ...spec,
    },
    ...job,
  })

/** Runs the check as the agent does, and holds what would be reported to the wire's schemas. */
const run = async (t: Test, url: string, change: Change = {}) => {
  const { outcome } = await runJob(apiJob(url, change), change.io ?? agentIo(), new AbortController())
  const sent = JSON.parse(JSON.stringify(outcome)) as Outcome
  t.same(validOutcome(sent).ok, true, 'the outcome fits the protocol')
  if (sent.kind !== 'observed') throw new Error(JSON.stringify(sent))
  const detail = sent.observation.detail as HttpCheckResult
  t.same(validDetail(detail), { ok: true, value: detail }, 'the detail fits the protocol')
  return { ...sent.observation, detail }
}

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; rawHeaders: string[]; body: string }

/** A server that remembers what it was asked, and answers with JSON. */
const listening = async (t: Test) => {
  const seen: Seen[] = []
  const server = await httpServer(t, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request
      seen.push({ method, url, headers, rawHeaders, body: Buffer.concat(parts).toString() })
      response.setHeader('content-type', 'application/json').end('{"id":7}')
    })
  })
  return { ...server, seen, last: () => seen.at(-1) as Seen }
}

t.test('methods and body types', async (t) => {
  const server = await listening(t)
  const methods = ['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'PATCH'] as const
  for (const method of methods) {
    t.equal((await run(t, server.origin, { method })).failure, null)
    t.equal(server.last().method, method)
    t.equal(server.last().headers['content-length'], method[0] === 'P' ? '0' : undefined)
  }
  const cases = [
    ['JSON', '{"a":1}', 'application/json', '{"a":1}'],
    ['GRAPHQL', '{ me { id } }', 'application/json', '{"query":"{ me { id } }"}'],
    ['GRAPHQL', '{"query":"{ me }","variables":{}}', 'application/json', '{"query":"{ me }","variables":{}}'],
    ['FORM', 'a=1&b=2', 'application/x-www-form-urlencoded', 'a=1&b=2'],
    ['RAW', '<grüße/>', undefined, '<grüße/>'],
    ['NONE', 'left out', undefined, ''],
  ] as const
  for (const [bodyType, body, contentType, sent] of cases) {
    const { detail } = await run(t, server.origin, { method: 'POST', bodyType, body })
    t.equal(server.last().headers['content-type'], contentType, bodyType)
    t.equal(server.last().body, sent, bodyType)
    t.equal(server.last().headers['content-length'], String(Buffer.byteLength(sent)))
    t.equal(detail.request.data, sent)
  }
  const headers = [{ key: 'content-TYPE', value: 'application/vnd.mine+json' }]
  await run(t, server.origin, { method: 'PUT', bodyType: 'JSON', body: '{}', headers })
  t.equal(server.last().headers['content-type'], 'application/vnd.mine+json')
})

t.test('headers, query parameters and credentials', async (t) => {
  const server = await listening(t)
  const { detail } = await run(t, `${server.origin}/a?x=1%2B1#part`, {
    headers: [
      { key: 'X-Mine', value: '  grün ' },
      { key: 'Host', value: 'other.test' },
      { key: 'User-Agent', value: 'mine' },
      { key: 'Content-Length', value: '999' },
      { key: 'Connection', value: 'keep-alive' },
      { key: 'Accept', value: 'a/b' },
      { key: 'accept', value: 'c/d' },
    ],
    queryParameters: [
      { key: 'y z', value: 'ä&b' },
      { key: 'x', value: '2' },
    ],
    basicAuth: { username: 'me', password: 'pä:ss' },
  })
  const { url, headers, rawHeaders } = server.last()
  t.equal(url, '/a?x=1%2B1&y%20z=%C3%A4%26b&x=2')
  t.match(headers, { host: 'other.test', 'user-agent': 'mine', accept: 'a/b, c/d', connection: 'close' })
  t.equal(Buffer.from(String(headers['x-mine']), 'latin1').toString(), 'grün')
  t.equal(headers['content-length'], undefined)
  t.equal(headers.authorization, `Basic ${Buffer.from('me:pä:ss').toString('base64')}`)
  t.equal(new Set(rawHeaders.filter((_, i) => i % 2 === 0)).size * 2, rawHeaders.length, 'each header once')
  t.equal(detail.request.headers['Authorization'], '[secret]')
  t.match(detail.request.params, { 'y z': 'ä&b' })
})

t.test('variables and helpers are filled in everywhere', async (t) => {
  const server = await listening(t)
  const io = { ...agentIo(), newId: () => 'an-id', random: () => 0 }
  await run(t, '{{GROUP_BASE_URL}}/{{PATH}}?r={{$RANDOM_NUMBER}}', {
    io,
    variables: { GROUP_BASE_URL: server.origin, PATH: 'a b', TOKEN: 'T/1', WHAT: 'q&r', PASS: 'p:w' },
    method: 'POST',
    bodyType: 'RAW',
    body: '{{{TOKEN}}} {{TOKEN}} {{$UUID}} {{{REQUEST_URL}}} {{CHECK_NAME}} {{REGION}} {{moment "YYYY"}}',
    headers: [{ key: 'x-token', value: 'Bearer {{{TOKEN}}}' }],
    queryParameters: [{ key: 'w', value: '{{WHAT}}-{{{WHAT}}}' }],
    basicAuth: { username: '{{TOKEN}}', password: '{{{PASS}}}' },
  })
  const { url, headers, body } = server.last()
  const path = '/a%20b?r=0&w=q%26r-q%26r'
  t.equal(url, path)
  t.equal(headers['x-token'], 'Bearer T/1')
  t.equal(headers.authorization, `Basic ${Buffer.from('T%2F1:p:w').toString('base64')}`)
  t.equal(body.slice(0, -2), `T/1 T%2F1 an-id ${server.origin}${path} Orders local 20`)
})

t.test('a request that cannot be sent is the failure of the check, and nothing is sent', async (t) => {
  const server = await listening(t)
  const cases: [Change & { url?: string }, string, RegExp][] = [
    [{ url: 'ftp://a' }, 'INVALID_URL', /not a valid http/],
    [{ url: '{{BASE}}/x' }, 'UNKNOWN_VARIABLE', /The variable BASE in the address is not set/],
    [{ bodyType: 'RAW', body: '{{X}}' }, 'UNKNOWN_VARIABLE', /X in the body/],
    [
      { headers: [{ key: 'x-a', value: 'b{{{LF}}}c: d' }] },
      'INVALID_HEADER',
      /header x-a contains a line break/,
    ],
    [{ headers: [{ key: 'x-a', value: 'b\r\n' }] }, 'INVALID_HEADER', /x-a contains a line break/],
    [{ headers: [{ key: 'x-a', value: 'b\0' }] }, 'INVALID_HEADER', /x-a contains a control character/],
    [{ headers: [{ key: 'x a:\r\nb', value: 'c' }] }, 'INVALID_HEADER', /cannot be the name of a header/],
    [{ headers: [{ key: 'Host', value: 'a\nb' }] }, 'INVALID_HEADER', /Host contains a line break/],
  ]
  for (const [{ url = server.origin, ...change }, code, message] of cases) {
    const { failure, detail } = await run(t, url, { ...change, variables: { LF: '\r\n' } })
    t.match(failure, { code, message, network: false })
    t.equal(detail.response, null)
    t.equal(detail.requestError, failure?.message)
  }
  t.equal(server.connections(), 0)
  // In Latin-1 these would lose their upper bytes and be a line break.
  await run(t, server.origin, { headers: [{ key: 'x-a', value: 'b\u010d\u010ax-evil: 1' }] })
  t.equal(server.last().headers['x-evil'], undefined)
})

t.test('redirects keep the body on 307 and 308, and continue with GET after 303', async (t) => {
  const end = await listening(t)
  const server = await httpServer(t, (request, response) => {
    request.resume()
    const status = Number(request.url?.slice(1, 4))
    response.writeHead(status, { location: `${end.origin}/end` }).end()
  })
  const change = {
    bodyType: 'JSON',
    body: '{"a":1}',
    headers: [{ key: 'Cookie', value: 'id=1' }],
    basicAuth: { username: 'a', password: 'word' },
  } as const
  const cases = [
    [301, 'POST', 'GET', ''],
    [302, 'PUT', 'PUT', '{"a":1}'],
    [303, 'PUT', 'GET', ''],
    [307, 'POST', 'POST', '{"a":1}'],
    [308, 'PATCH', 'PATCH', '{"a":1}'],
  ] as const
  for (const [status, method, then, body] of cases) {
    const { detail } = await run(t, `${server.origin}/${status}`, {
      ...change,
      headers: [...change.headers],
      method,
    })
    t.match(end.last(), { method: then, body, url: '/end' }, `${status} ${method}`)
    t.equal(end.last().headers['content-type'], body === '' ? undefined : 'application/json')
    t.equal(end.last().headers.authorization, undefined, 'credentials stay with their origin')
    t.equal(end.last().headers.cookie, undefined)
    t.equal(detail.request.data, body)
    t.match(detail.response?.redirects, [{ status, to: `${end.origin}/end` }])
  }
  const stays = await run(t, `${server.origin}/308`, { method: 'POST', followRedirects: false })
  t.equal(stays.detail.response?.status, 308)
})

t.test('every source of assertions', async (t) => {
  const { origin } = await httpServer(t, (request, response) => {
    response.writeHead(201, { 'content-type': 'application/problem+json; charset=utf-8', 'x-v': 'v12' })
    response.end(request.url === '/bad' ? '{"a"' : '\uFEFF{"items":[{"id":1},{"id":2}]}')
  })
  const assertions: ApiSpec['request']['assertions'] = [
    { source: 'STATUS_CODE', comparison: 'EQUALS', target: '201' },
    { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '20000' },
    { source: 'HEADERS', property: 'X-V', comparison: 'EQUALS', target: '12', regex: '(\\d+)' },
    { source: 'TEXT_BODY', property: '"id":(\\d)', comparison: 'EQUALS', target: '1' },
    { source: 'JSON_BODY', property: '$.items[*].id', comparison: 'GREATER_THAN', target: '0' },
    { source: 'JSON_BODY', property: '$.items.length', comparison: 'EQUALS', target: '2' },
  ]
  const good = await run(t, origin, { assertions })
  t.same(
    good.assertions.map(({ passed, error }) => [passed, error]),
    assertions.map(() => [true, null]),
  )
  t.same(good.detail.assertions, good.assertions)
  const json: ApiSpec['request']['assertions'] = [
    { source: 'JSON_BODY', property: '$', comparison: 'IS_NULL' },
  ]
  t.match((await run(t, `${origin}/bad`, { assertions: json })).assertions, [
    { passed: false, error: 'the body of the response is not valid JSON' },
  ])
  const text = await answering(t, 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\n{}')
  t.match((await run(t, text.origin, { assertions: json })).assertions, [
    { passed: false, error: 'the response is not JSON: its Content-Type is text/html' },
  ])
})

t.test('assertions see the text in its charset, without a byte order mark, to its last byte', async (t) => {
  const bodies: Record<string, { type: string; bytes: Buffer; text: string }> = {
    '/marked': { type: 'text/plain', bytes: Buffer.from('\ufeffgrüße'), text: 'grüße' },
    '/utf-16': { type: 'text/plain', bytes: Buffer.from('\ufeffgrüße', 'utf16le'), text: 'grüße' },
    '/json': {
      type: 'application/json',
      bytes: Buffer.from('\ufeff{"a":"grüße"}', 'utf16le').swap16(),
      text: '{"a":"grüße"}',
    },
    '/cut': { type: 'text/plain', bytes: Buffer.from('grüß').subarray(0, 5), text: 'grü\ufffd' },
  }
  const { origin } = await httpServer(t, (request, response) => {
    const { type = '', bytes } = bodies[request.url ?? ''] ?? {}
    response.setHeader('content-type', type).end(bytes)
  })
  for (const [path, { text }] of Object.entries(bodies)) {
    const assertions = [{ source: 'TEXT_BODY', comparison: 'EQUALS', target: text }] as const
    t.match((await run(t, `${origin}${path}`, { assertions: [...assertions] })).assertions, [
      { passed: true },
    ])
  }
  const json = [{ source: 'JSON_BODY', property: '$.a', comparison: 'EQUALS', target: 'grüße' }] as const
  t.match((await run(t, `${origin}/json`, { assertions: [...json] })).assertions, [{ passed: true }])
})

t.test('4xx and 5xx fail unless shouldFail or an assertion on the status says otherwise', async (t) => {
  const { origin } = await httpServer(t, (_, response) => response.writeHead(404).end())
  t.match((await run(t, origin)).failure, { code: 'HTTP_STATUS', network: false })
  t.equal((await run(t, origin, { spec: { shouldFail: true } })).failure, null)
  const assertions = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '404' }] as const
  t.equal((await run(t, origin, { assertions: [...assertions] })).failure, null)
})

t.test('assertions see the whole body, the result its start', async (t) => {
  const long = `${'x'.repeat(200_000)} token=42`
  const { origin } = await httpServer(t, (_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' })
      .end(gzipSync(long)),
  )
  const assertions = [
    { source: 'TEXT_BODY', property: 'token=(\\d+)', comparison: 'EQUALS', target: '42' },
  ] as const
  const { assertions: outcomes, detail } = await run(t, origin, { assertions: [...assertions] })
  t.match(outcomes, [{ passed: true }])
  t.match(detail.response, { body: /^x+$/, truncated: true, bodyBytes: long.length })
  t.match((await run(t, origin)).detail.response, { body: /^\[binary body/ })
})

t.test('failures of the target, at the latest by the deadline', async (t) => {
  const port = await closedPort()
  t.match((await run(t, `http://127.0.0.1:${port}/`)).failure, { code: 'ECONNREFUSED', network: true })
  const limit = heldTimer(100)
  const black = await tcpServer(t, (socket) => socket.once('data', limit.passSoon))
  const late = await run(t, black.origin, {
    method: 'POST',
    bodyType: 'RAW',
    body: 'x',
    job: { deadlineMs: 100 },
    io: agentIo({ clock: limit.clock }),
  })
  t.match(late.failure, { code: 'TIMEOUT', network: true, message: /had not answered/ })
  const eager = await tcpServer(t, (socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n')),
  )
  const refused = await run(t, eager.origin, { method: 'POST', bodyType: 'RAW', body: 'x'.repeat(200_000) })
  t.equal(refused.detail.response?.status, 413)
  const authority = createAuthority()
  const { origin } = await httpsServer(t, authority.issue({ altName: 'IP:127.0.0.1' }), (_, r) => r.end())
  t.match((await run(t, origin)).failure, { network: true, message: /certificate/ })
  t.equal((await run(t, origin, { skipSSL: true })).failure, null)
  const io = agentIo({ blockedNetworks: ['127.0.0.0/8'] })
  t.match((await run(t, black.origin, { io })).failure, { code: 'BLOCKED_BY_POLICY' })
})

t.test('no secret of a job gets into what is reported', async (t) => {
  const canaries = createCanaries()
  const odd = `p@ss/w"rd ${canaries.plant('variable in part')}`
  canaries.add('odd variable', odd)
  const secrets = { A: canaries.plant('variable'), ODD: odd }
  const server = await httpServer(t, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      const all = { url: request.url, headers: request.headers, body }
      const echo = JSON.stringify({ ...all, [secrets.A]: 1, text: JSON.stringify(all), plain: odd })
      response.setHeader('x-echo', [encodeURIComponent(odd), Buffer.from(`x${odd}`).toString('base64')])
      response.setHeader('set-cookie', `id=${secrets.A}`)
      response.setHeader('content-type', 'application/json')
      if (request.url?.startsWith('/away')) response.writeHead(302, { location: `/to?${secrets.A}` })
      response.end(Buffer.from(`${echo.slice(0, -1)},"hex":"${Buffer.from(`a${odd}b`).toString('hex')}"}`))
    })
  })
  const change: Change = {
    job: { variables: Object.entries(secrets).map(([key, value]) => ({ key, value, secret: true })) },
    method: 'POST',
    bodyType: 'JSON',
    body: '{"a":"{{{A}}}","b":"{{ODD}}"}',
    headers: [
      { key: 'x-open', value: '{{{ODD}}}' },
      { key: 'x-locked', value: canaries.plant('locked header'), locked: true } as {
        key: string
        value: string
      },
    ],
    queryParameters: [
      { key: 'q', value: '{{ODD}}' },
      { key: 'k', value: canaries.plant('locked parameter'), locked: true } as { key: string; value: string },
    ],
    basicAuth: { username: 'me', password: canaries.plant('password') },
    assertions: [
      { source: 'JSON_BODY', property: '$.plain', comparison: 'EQUALS', target: 'other' },
      { source: 'JSON_BODY', property: '$', comparison: 'IS_NULL' },
      { source: 'TEXT_BODY', property: '("plain":.*)', comparison: 'IS_EMPTY' },
      { source: 'HEADERS', property: 'x-echo', comparison: 'EQUALS', target: secrets.A },
      { source: 'HEADERS', property: 'set-cookie', comparison: 'IS_EMPTY' },
    ],
  }
  const port = await closedPort()
  for (const url of [
    `${server.origin}/{{A}}`,
    `${server.origin}/away`,
    `http://{{{A}}}.invalid/`,
    `http://127.0.0.1:${port}/{{ODD}}`,
    '{{{A}}}',
  ]) {
    const { outcome } = await runJob(apiJob(url, change), agentIo(), new AbortController())
    t.equal(validOutcome(JSON.parse(JSON.stringify(outcome))).ok, true)
    t.same(canaries.find(Buffer.from(JSON.stringify(outcome))), [], url)
    t.equal(outcome.kind, 'observed')
  }
})

t.test('a server that goes away while a large body is sent is its failure', async (t) => {
  const rude = await tcpServer(t, (socket) => {
    socket.once('data', () => socket.resetAndDestroy())
    once(socket, 'close')
  })
  const { failure } = await run(t, rude.origin, { method: 'PUT', bodyType: 'RAW', body: 'x'.repeat(250_000) })
  t.match(failure, { code: /ECONNRESET|EPIPE/, network: true })
})
