import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { Type } from 'typebox'
import { sentAsIs } from '../../../../../../control-plane/platform/web/http/answers/serialize.ts'
import { type Route, reply, route } from '../../../../../../control-plane/platform/web/http/route.ts'
import { testApp } from '../../../../../support/app.ts'
import { until } from '../../../../../support/until.ts'

const request = { url: 'https://example.com/' }
const create = (body: unknown) => ['POST', '/v1/checks/url', { body }] as const

t.test('every answer carries a request id: the caller’s if it is a sane one', async (t) => {
  const { call } = await testApp(t)
  t.match((await call('GET', '/v1/checks')).headers.get('x-request-id'), /^[0-9a-f-]{36}\.\d+$/)
  const given = await call('GET', '/v1/checks', { headers: { 'x-request-id': 'abc-1.2' } })
  t.equal(given.headers.get('x-request-id'), 'abc-1.2')
  const strange = await call('GET', '/v1/checks', { headers: { 'x-request-id': 'a b<script>' } })
  t.not(strange.headers.get('x-request-id'), 'a b<script>')
})

t.test('an unknown path is 404, a known one with another method 405 with Allow', async (t) => {
  const { call } = await testApp(t)
  const missing = await call('GET', '/v1/nothing')
  t.equal(missing.status, 404)
  t.strictSame(missing.body, { statusCode: 404, error: 'Not Found', message: 'Not Found', attributes: {} })
  const wrong = await call('DELETE', '/v1/checks/url')
  t.equal(wrong.status, 405, 'it is not DELETE /v1/checks/:id with the id "url"')
  t.equal(wrong.headers.get('allow'), 'POST, OPTIONS')
  const patch = await call('PATCH', '/v1/missed-runs')
  t.equal(patch.status, 405)
  t.equal(patch.headers.get('allow'), 'HEAD, GET, OPTIONS')
  t.strictSame(patch.body.attributes, { allow: ['HEAD', 'GET', 'OPTIONS'] })
  const options = await call('OPTIONS', '/v1/missed-runs')
  t.equal(options.status, 204)
  t.equal(options.headers.get('allow'), 'HEAD, GET, OPTIONS')
  const head = await call('HEAD', '/v1/missed-runs')
  t.equal(head.status, 200)
  t.equal(head.text, '')
})

t.test('bodies that are not what they should be are 4xx in the error shape and change nothing', async (t) => {
  const { call } = await testApp(t)
  const raw = (text: string | Uint8Array<ArrayBuffer>, headers = {}) =>
    call('POST', '/v1/checks/url', { raw: text, headers })
  const refused: Array<[string, Awaited<ReturnType<typeof raw>>, number, RegExp]> = [
    ['malformed JSON', await raw('{"name": '), 400, /not valid JSON/],
    ['an empty object', await raw('{}'), 400, /"name" is required/],
    ['no body', await call('POST', '/v1/checks/url'), 400, /"name" is required/],
    ['an array', await raw('[]'), 400, /must be object/],
    ['null', await raw('null'), 400, /must be object/],
    ['another type', await raw('a=b', { 'content-type': 'text/plain' }), 415, /application\/json/],
    [
      'another charset',
      await raw('{}', { 'content-type': 'application/json; charset=latin1' }),
      415,
      /UTF-8/,
    ],
    ['another encoding', await raw('{}', { 'content-encoding': 'br' }), 415, /br/],
    ['broken gzip', await raw('{}', { 'content-encoding': 'gzip' }), 400, /gzip/],
    ['broken UTF-8', await raw(new Uint8Array([0x22, 0xff, 0x22])), 400, /UTF-8/],
    ['more than 1 MB', await raw(JSON.stringify({ name: 'x'.repeat(1_100_000) })), 413, /1048576/],
    [
      'a gzip bomb',
      await raw(new Uint8Array(gzipSync(' '.repeat(3_000_000))), { 'content-encoding': 'gzip' }),
      413,
      /1048576/,
    ],
    ['deep nesting', await raw(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), 400, /nested deeper/],
    [
      'NUL',
      await raw(`{"name":"a\\u0000b","request":{"url":"https://example.com/"}}`),
      400,
      /"name" must not contain NUL/,
    ],
    [
      'a lone surrogate',
      await raw('{"name":"\\ud800","request":{"url":"https://example.com/"}}'),
      400,
      /surrogate/,
    ],
    [
      '__proto__',
      await raw('{"name":"a","__proto__":{"x":1},"request":{"url":"https://example.com/"}}'),
      400,
      /key/,
    ],
    [
      'a huge number',
      await raw('{"name":"a","groupId":1e999,"request":{"url":"https://example.com/"}}'),
      400,
      /groupId/,
    ],
  ]
  for (const [what, answer, status, message] of refused) {
    t.equal(answer.status, status, `${what}: ${answer.text}`)
    t.match(answer.body.message, message, what)
    t.strictSame(Object.keys(answer.body), ['statusCode', 'error', 'message', 'attributes'], what)
  }
  t.strictSame((await call('GET', '/v1/checks')).body, [])
})

t.test('a gzip body is accepted', async (t) => {
  const { call } = await testApp(t)
  const raw = new Uint8Array(gzipSync(JSON.stringify({ name: 'zipped', request })))
  const answer = await call('POST', '/v1/checks/url', { raw, headers: { 'content-encoding': 'gzip' } })
  t.equal(answer.status, 201, answer.text)
})

t.test('a validation error lists every violation of path, query and body', async (t) => {
  const { call } = await testApp(t)
  const answer = await call('PUT', '/v1/checks/url/not-a-uuid?autoAssignAlerts=perhaps', {
    body: { frequency: 7, tags: [''], unknown: 1, request: { url: 'ftp://example.com/' } },
  })
  t.equal(answer.status, 400)
  t.strictSame(
    answer.body.attributes.violations
      .map(({ path, rule }: { path: string; rule: string }) => `${path} ${rule}`)
      .sort(),
    [
      'autoAssignAlerts type',
      'frequency enum',
      'id format',
      'request.url pattern',
      'tags.0 minLength',
      'unknown additionalProperties',
    ],
  )
  t.match(answer.body.message, /^".*\(and 5 more\)$/)
})

t.test('query parameters: duplicates of a single value, unknown names and NUL are refused', async (t) => {
  const { call } = await testApp(t)
  for (const query of [
    'limit=1&limit=2',
    'nonsense=1',
    'search=%00',
    '__proto__=1',
    'limit=0',
    'limit=101',
    'page=1e99',
  ])
    t.equal((await call('GET', `/v1/checks?${query}`)).status, 400, query)
  t.equal((await call('GET', '/v1/checks?limit=2&page=1')).status, 200)
  t.equal((await call('GET', '/v1/checks/%E0%A4%A')).status, 400, 'a broken escape')
})

const misbehaving: Route[] = [
  route({
    method: 'GET',
    path: '/throws',
    access: 'PUBLIC',
    tag: 'Test',
    summary: 'throws',
    status: 200,
    handle: () => {
      throw new Error('the secret reason', { cause: new Error('its cause') })
    },
  }),
  route({
    method: 'GET',
    path: '/leaks',
    access: 'PUBLIC',
    tag: 'Test',
    summary: 'leaks',
    status: 200,
    response: Type.Object({ shown: Type.String(), list: Type.Array(Type.Object({ shown: Type.Integer() })) }),
    handle: () => ({ shown: 'yes', hash: 'secret', list: [{ shown: 1, secret: 2 }] }),
  }),
  route({
    method: 'GET',
    path: '/drifts',
    access: 'PUBLIC',
    tag: 'Test',
    summary: 'drifts',
    status: 200,
    response: Type.Object({ count: Type.Integer() }),
    handle: () => ({ count: 'many' }) as never,
  }),
  route({
    method: 'GET',
    path: '/waits',
    access: 'PUBLIC',
    tag: 'Test',
    summary: 'waits',
    status: 200,
    response: Type.Object({ ended: Type.Boolean() }),
    handle: async ({ signal }) => {
      if (!signal.aborted) await once(signal, 'abort')
      return reply({ ended: true }, { headers: { 'x-waited': 'yes' } })
    },
  }),
]

t.test('a failure of ours is a bare 500, logged once with its cause', async (t) => {
  const { call, logged } = await testApp(t, { routes: misbehaving })
  const answer = await call('GET', '/throws', { headers: { 'x-request-id': 'find-me' } })
  t.equal(answer.status, 500)
  t.notMatch(answer.text, /secret/)
  t.equal(logged.length, 1)
  t.match(logged[0], { requestId: 'find-me', route: '/throws' })
  t.match(JSON.stringify(logged[0]), /the secret reason.*its cause/)
})

t.test('fields that the response schema does not declare never leave', async (t) => {
  const { call } = await testApp(t, { routes: misbehaving })
  t.strictSame((await call('GET', '/leaks')).body, { shown: 'yes', list: [{ shown: 1 }] })
})

t.test('an answer that breaks its schema fails in tests and is logged in production', async (t) => {
  const strict = await testApp(t, { routes: misbehaving })
  t.equal((await strict.call('GET', '/drifts')).status, 500)
  const lenient = await testApp(t, { routes: misbehaving, strictResponses: false })
  t.strictSame((await lenient.call('GET', '/drifts')).body, { count: 'many' })
  t.match(lenient.logged, [{ msg: 'An answer breaks its schema', route: 'GET /drifts' }])
})

t.test(
  'draining: readiness turns 503, long polls end, connections are closed after their answer',
  async (t) => {
    const { call, drain } = await testApp(t, { routes: misbehaving })
    t.equal((await call('GET', '/-/readiness')).status, 200)
    const waiting = call('GET', '/waits')
    await call('GET', '/health')
    drain()
    const answer = await waiting
    t.strictSame(answer.body, { ended: true })
    t.equal(answer.headers.get('x-waited'), 'yes')
    const readiness = await call('GET', '/-/readiness')
    t.equal(readiness.status, 503)
    t.equal(readiness.headers.get('connection'), 'close')
    t.equal((await call('GET', '/-/liveness')).status, 200)
  },
)

t.test('/metrics counts requests by route pattern', async (t) => {
  const { call } = await testApp(t)
  await call('GET', '/v1/checks/6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11')
  const { text, status } = await call('GET', '/metrics', { key: null })
  t.equal(status, 200)
  t.match(text, 'watchpost_http_requests_total{method="GET",route="/v1/checks/:id",status="404"} 1')
})

t.test('bytes that are not HTTP are answered in the error shape', async (t) => {
  const { url } = await testApp(t)
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.end('nonsense\r\n\r\n')
  let text = ''
  for await (const chunk of socket) text += chunk
  t.match(text, /^HTTP\/1\.1 400 Bad Request/)
  t.match(JSON.parse(text.split('\r\n\r\n')[1] ?? ''), { statusCode: 400, attributes: {} })
})

t.test('another account’s check does not exist', async (t) => {
  const { call, addKey } = await testApp(t)
  const { id } = (await call(...create({ name: 'mine', request }))).body
  const { apiKey: key } = await addKey()
  t.equal((await call('GET', `/v1/checks/${id}`, { key })).status, 404)
  t.equal((await call('PUT', `/v1/checks/url/${id}`, { key, body: { name: 'stolen' } })).status, 404)
  t.equal((await call('DELETE', `/v1/checks/${id}`, { key })).status, 404)
  t.equal((await call('GET', `/v2/check-results/${id}`, { key })).status, 404)
  t.strictSame((await call('GET', '/v1/checks', { key })).body, [])
  t.equal((await call('GET', `/v1/checks/${id}`)).body.name, 'mine')
})

t.test('a reader who leaves before the end of an answer is no error', async (t) => {
  let left = 0
  let isEnded = false
  const endless = route({
    method: 'GET',
    path: '/endless',
    access: 'PUBLIC',
    tag: 'Test',
    summary: 'Never ends',
    status: 200,
    responseType: 'text/plain',
    response: sentAsIs(),
    handle: async () => {
      const stream = new Readable({ read: () => undefined })
      stream.push('so far')
      stream.once('close', () => left++)
      return stream
    },
  })
  const broken = route({
    ...endless,
    path: '/broken',
    handle: async () => {
      const stream = new Readable({ read: () => undefined })
      stream.push('so far')
      setImmediate(() => stream.destroy(new Error('The disk is gone')))
      stream.once('close', () => {
        isEnded = true
      })
      return stream
    },
  })
  const { url, logged } = await testApp(t, { routes: [endless, broken] as Route[] })
  const warnings = () => logged.filter(({ level }) => Number(level) >= 40).map(({ msg }) => msg)
  for (const _ of [1, 2, 3]) {
    const leaving = new AbortController()
    const answer = await fetch(`${url}/endless`, { signal: leaving.signal })
    await answer.body?.getReader().read()
    leaving.abort()
  }
  await until('all three have left', () => left === 3)
  t.strictSame(warnings(), [])
  await fetch(`${url}/broken`)
    .then((answer) => answer.text())
    .catch(() => undefined)
  await until('it is told', () => isEnded && warnings().length > 0)
  t.strictSame(warnings(), ['An answer could not be sent'], 'what is ours is told')
})
