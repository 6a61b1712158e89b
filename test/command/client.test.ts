/** What a client does when it is told to wait, when nobody answers, and when it is refused. */
import t from 'tap'
import { createClient } from '../../command/client.ts'
import { CommandError, type Io } from '../../command/io.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { closedPort } from '../support/servers.ts'

/** Time passes for the control plane where the program sleeps. */
const ioOf = (plane: Pick<TestApp, 'url' | 'apiKey' | 'advance'>) => {
  const slept: number[] = []
  const never = () => {
    throw new Error('nothing of the machine is asked for')
  }
  const io: Io = {
    env: { WATCHPOST_URL: `${plane.url}/`, WATCHPOST_API_KEY: plane.apiKey },
    ...{
      path: never,
      readText: never,
      kindOf: never,
      list: never,
      writeText: never,
      appendText: never,
      load: never,
    },
    fetch: (url, init) => fetch(url, init),
    sleep: async (ms) => {
      slept.push(ms)
      plane.advance(ms)
    },
    ...{ now: () => 0, say: () => {}, progress: () => {} },
  }
  return { io, slept }
}

t.test('beyond the limit of requests it comes back when it is told to', async (t) => {
  const plane = await testApp(t, { env: { API_REQUESTS_PER_MINUTE: '3' } })
  const { io, slept } = ioOf(plane)
  const client = createClient(io)
  for (let count = 0; count < 7; count += 1) t.equal((await client.get('/v1/snippets')).status, 200)
  t.strictSame(slept, [60_000, 60_000])
  t.equal((await client.post('/v1/snippets', { name: 'a', script: '' })).status, 201, 'a write in its turn')
})

t.test('what is refused is told in sentences, and not asked again', async (t) => {
  const plane = await testApp(t)
  const { io, slept } = ioOf(plane)
  const refused = createClient(io).post('/v1/snippets', { nam: 'a' })
  const error = await refused.catch((problem: unknown) => problem)
  t.ok(error instanceof CommandError)
  t.match(error, { problems: [/"name" is required/, /"script" is required/, /"nam" is not a known field/] })
  const stranger = createClient({ ...io, env: { ...io.env, WATCHPOST_API_KEY: 'wp_unknown' } })
  await t.rejects(stranger.get('/v1/snippets'), { message: /\/v1\/snippets answered 401/ })
  t.strictSame(slept, [])
  t.throws(() => createClient({ ...io, env: {} }), { message: /WATCHPOST_URL[\s\S]*WATCHPOST_API_KEY/ })
})

t.test('while nobody answers, what does no harm is asked again, and a write is not', async (t) => {
  const { io, slept } = ioOf({
    url: `http://127.0.0.1:${await closedPort()}`,
    apiKey: 'a',
    advance: () => {},
  })
  const client = createClient(io)
  await t.rejects(client.post('/v1/snippets', {}), { message: /cannot be reached/ })
  t.strictSame(slept, [])
  await t.rejects(client.get('/v1/snippets'), { message: /cannot be reached/ })
  t.strictSame(slept, [1000, 2000, 4000, 8000])
})
