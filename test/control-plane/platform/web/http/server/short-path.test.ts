import t from 'tap'
import { Type } from 'typebox'
import { type Route, route } from '../../../../../../control-plane/platform/web/http/route.ts'
import { ApiError } from '../../../../../../control-plane/platform/words/errors.ts'
import { testApp } from '../../../../../support/app.ts'

/** The same route twice: the short way and, under another name, the long way. */
const twice = (): Route[] =>
  [true, false].map((short) =>
    route({
      method: 'GET',
      path: short ? '/short/:word' : '/long/:word',
      access: 'PUBLIC',
      tag: 'Test',
      summary: 'says a word',
      params: Type.Object({ word: Type.String({ minLength: 2 }) }),
      status: 200,
      response: Type.Object({ word: Type.String() }),
      rateLimit: { requests: 12, seconds: 60 },
      ...(short ? { short } : {}),
      handle: ({ params: { word }, headers }) => {
        if (word === 'unknown') throw new ApiError(404, 'No such word', { headers: { 'x-why': 'unknown' } })
        if (word === 'broken') throw new Error('the secret reason')
        const said = { word: `${word} ${headers['user-agent'] ?? ''}`, secret: 'undeclared' }
        return said
      },
    }),
  )

const kept = ['content-type', 'content-length', 'connection', 'retry-after', 'x-why', 'x-request-id', 'allow']
const limits = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']

t.test('the short way answers everything as the long way does', async (t) => {
  const { call, logged } = await testApp(t, { routes: twice() })
  const both = async (method: string, rest: string, headers: Record<string, string> = {}) => {
    const answers = []
    for (const start of ['/short/', '/long/']) {
      const sent = { key: null, headers: { 'user-agent': 'test', 'x-request-id': 'same', ...headers } }
      const answer = await call(method, `${start}${rest}`, sent)
      const shown = [...kept, ...limits].map((name) => [name, answer.headers.get(name)])
      answers.push({ status: answer.status, text: answer.text, ...Object.fromEntries(shown) })
    }
    t.strictSame(answers[0], answers[1], `${method} ${rest}`)
    return answers[0]
  }
  t.match(await both('GET', 'hello'), { status: 200, text: '{"word":"hello test"}', 'x-request-id': 'same' })
  t.match(await both('HEAD', 'hello'), { status: 200, text: '' })
  t.match(await both('GET', 'unknown'), { status: 404, 'x-why': 'unknown' })
  t.match(await both('GET', 'broken'), { status: 500 })
  t.match(await both('GET', 'x'), { status: 400, 'ratelimit-limit': '12' })
  t.match(await both('GET', 'hello?more=1'), { status: 200 })
  t.match(await both('GET', 'h%C3%A9llo'), { status: 200, text: '{"word":"héllo test"}' })
  t.match(await both('PUT', 'hello'), { status: 405, allow: 'HEAD, GET, OPTIONS' })
  t.match(await both('OPTIONS', 'hello'), { status: 204 })
  t.match(await both('GET', 'one/two'), { status: 404 })
  t.match(await both('GET', ''), { status: 404 })
  for (let more = 0; more < 5; more++) await both('GET', 'hello')
  t.match(await both('GET', 'hello'), { status: 429, 'retry-after': '60' })
  t.equal(logged.length, 2, 'a failure of ours is logged once')
  t.match(logged, [
    { requestId: 'same', method: 'GET', route: '/short/:word' },
    { requestId: 'same', method: 'GET', route: '/long/:word' },
  ])
})

t.test('it is counted in /metrics, and closes its connection while draining', async (t) => {
  const { call, drain } = await testApp(t, { routes: twice() })
  await call('GET', '/short/hello', { key: null })
  const { text } = await call('GET', '/metrics', { key: null })
  t.match(text, 'watchpost_http_requests_total{method="GET",route="/short/:word",status="200"} 1')
  drain()
  const answer = await call('GET', '/short/hello', { key: null })
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('connection'), 'close')
})

t.test('a route with a query, a body or a key cannot be short', async (t) => {
  const [tiny] = twice() as [Route]
  for (const more of [
    { access: 'READ_ONLY' as const },
    { query: Type.Object({}) },
    { body: Type.Object({}) },
    { path: '/short' },
  ])
    await t.rejects(testApp(t, { routes: [{ ...tiny, ...more }] }), /cannot be short/)
})
