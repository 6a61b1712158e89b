import t from 'tap'
import { Type } from 'typebox'
import { type Route, reply, route } from '../../../../../../control-plane/platform/web/http/route.ts'
import { ApiError } from '../../../../../../control-plane/platform/words/errors.ts'
import { testApp } from '../../../../../support/app.ts'

const Said = Type.Object({ word: Type.String(), more: Type.Optional(Type.String()) })

/** The same route twice: without Koa and, because its files may be of another type, with it. */
const twice = (): Route[] =>
  [true, false].map((direct) =>
    route({
      method: 'GET',
      path: direct ? '/direct/:word' : '/long/:word',
      access: 'READ_WRITE',
      tag: 'Test',
      summary: 'says a word',
      params: Type.Object({ word: Type.String({ minLength: 2 }) }),
      query: Type.Object({ more: Type.Optional(Type.String()) }, { additionalProperties: false }),
      status: 200,
      response: Said,
      deprecated: true,
      rateLimit: { requests: 14, seconds: 60 },
      ...(direct ? {} : { otherTypes: { success: ['text/csv'] } }),
      handle: ({ params: { word }, query: { more } }) => {
        if (word === 'unknown') throw new ApiError(404, 'No such word', { headers: { 'x-why': 'unknown' } })
        if (word === 'broken') throw new Error('the secret reason')
        if (word === 'same') return reply({ word }, { status: 304, headers: { ETag: '"7"' } })
        const said = { word: `${word} é`, ...(more === undefined ? {} : { more }), secret: 'undeclared' }
        return reply(said, { headers: { ETag: '"7"' }, cookies: ['a=1', 'b=2'] })
      },
    }),
  )

const kept = ['content-type', 'content-length', 'connection', 'retry-after', 'x-why', 'x-request-id', 'allow']
const more = [
  'etag',
  'set-cookie',
  'deprecation',
  'www-authenticate',
  'ratelimit-limit',
  'ratelimit-remaining',
]

t.test('what is answered without Koa is answered as with it', async (t) => {
  const { call, logged } = await testApp(t, { routes: twice() })
  const both = async (method: string, rest: string, options: Parameters<typeof call>[2] = {}) => {
    const answers = []
    for (const start of ['/direct/', '/long/']) {
      const headers = { 'x-request-id': 'same', ...options.headers }
      const answer = await call(method, `${start}${rest}`, { ...options, headers })
      const shown = [...kept, ...more].map((name) => [name, answer.headers.get(name)])
      answers.push({ status: answer.status, text: answer.text, ...Object.fromEntries(shown) })
    }
    t.strictSame(answers[0], answers[1], `${method} ${rest}`)
    return answers[0]
  }
  t.match(await both('GET', 'hello'), {
    status: 200,
    text: '{"word":"hello é"}',
    etag: '"7"',
    'set-cookie': 'a=1, b=2',
    deprecation: 'true',
    'x-request-id': 'same',
    'ratelimit-limit': '14',
    'content-length': '19',
  })
  t.match(await both('GET', 'hello?more=a%26b'), { status: 200, text: '{"word":"hello é","more":"a&b"}' })
  t.match(await both('GET', 'h%C3%A9llo?'), { status: 200, text: '{"word":"héllo é"}' })
  t.match(await both('GET', 'same'), { status: 304, text: '', etag: '"7"', 'content-type': null })
  t.match(await both('HEAD', 'hello'), { status: 200, text: '' })
  t.match(await both('GET', 'unknown'), { status: 404, 'x-why': 'unknown', 'ratelimit-limit': '14' })
  t.match(await both('GET', 'broken'), { status: 500 })
  t.match(await both('GET', 'x?other=1'), { status: 400 })
  t.match(await both('GET', 'hello', { key: 'wp_nobody' }), { status: 401, 'ratelimit-limit': null })
  t.match(await both('GET', 'hello', { key: null }), { status: 401 })
  t.match(await both('PUT', 'hello'), { status: 405, allow: 'HEAD, GET, OPTIONS' })
  t.match(await both('OPTIONS', 'hello'), { status: 204 })
  t.match(await both('GET', 'one/two'), { status: 404 })
  t.match(await both('GET', 'hello', { headers: { accept: 'text/html' } }), { status: 200 })
  for (let again = 0; again < 5; again++) await both('GET', 'hello')
  t.match(await both('GET', 'hello'), { status: 429, 'retry-after': '60' })
  t.equal(logged.length, 2, 'a failure of ours is logged once')
  t.match(logged, [
    { requestId: 'same', method: 'GET', route: '/direct/:word' },
    { requestId: 'same', method: 'GET', route: '/long/:word' },
  ])
})

t.test('it is counted in /metrics, and closes its connection while draining', async (t) => {
  const { call, drain } = await testApp(t, { routes: twice() })
  await call('GET', '/direct/hello')
  const { text } = await call('GET', '/metrics', { key: null })
  t.match(text, 'watchpost_http_requests_total{method="GET",route="/direct/:word",status="200"} 1')
  drain()
  const answer = await call('GET', '/direct/hello')
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('connection'), 'close')
})
