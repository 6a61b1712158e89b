/** What a single connection may ask of a control plane. */
import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { testApp } from '../../../../../support/app.ts'

const portOf = (base: string): number => Number(new URL(base).port)

/** Everything that comes back until the other side closes. */
const exchange = async (port: number, ...pieces: (string | Buffer)[]): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  let text = ''
  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  for (const piece of pieces) socket.write(piece)
  await once(socket, 'close')
  return text
}

const statusesOf = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status)

t.test(
  'a connection that asks for hundreds of documents at once gets a hundred, then it is closed; others are served meanwhile',
  async (t) => {
    const { url: base, call } = await testApp(t)
    const flood = exchange(portOf(base), 'GET /openapi.json HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(599))
    t.equal((await call('GET', '/v1/locations')).status, 200)
    const statuses = statusesOf(await flood)
    t.equal(statuses.length, 101)
    t.strictSame([...new Set(statuses)], ['200'])
  },
)

t.test('paths that nobody serves are counted by address', async (t) => {
  const { url: base } = await testApp(t)
  const ask = () => exchange(portOf(base), 'GET /nothing HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(150))
  const statuses: string[] = []
  for (let round = 0; round < 7; round++) statuses.push(...statusesOf(await ask()))
  t.equal(statuses.filter((status) => status === '404').length, 600)
  t.equal(statuses.filter((status) => status === '429').length, 107)
})

t.test('a body in chunks of a byte each is refused early, and the connection is closed', async (t) => {
  const { url: base, apiKey } = await testApp(t)
  const head = `POST /v1/snippets HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  const answer = await exchange(portOf(base), head, '1\r\n \r\n'.repeat(200_000))
  t.match(answer, /^HTTP\/1\.1 400 /)
  t.match(answer, /far too small/)
  t.match(answer, /^connection: close/im)
})

t.test('a refusal before the body has come closes the connection', async (t) => {
  const { url: base } = await testApp(t)
  const head =
    'POST /v1/snippets HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n'
  const answer = await exchange(portOf(base), head, ' '.repeat(1000))
  t.match(answer, /^HTTP\/1\.1 401 /)
  t.match(answer, /^connection: close/im)
})

/** An account whose list of a hundred checks is half a megabyte. */
const withLongList = async (t: Test) => {
  const plane = await testApp(t)
  const request = { method: 'POST', url: 'http://127.0.0.1/', bodyType: 'RAW', body: 'x'.repeat(5000) }
  for (let number = 0; number < 100; number += 1) {
    const { status } = await plane.call('POST', '/v1/checks/api', {
      body: { name: `check ${number}`, privateLocations: ['local'], frequency: 1, activated: false, request },
    })
    if (status !== 201) throw new Error(`the check was not made: ${status}`)
  }
  const listsMade = async (): Promise<number> => {
    const answered = await plane.app.metrics.getSingleMetric('watchpost_http_requests_total')?.get()
    return (answered?.values ?? [])
      .filter(({ labels }) => labels['method'] === 'GET' && labels['route'] === '/v1/checks')
      .reduce((sum, { value }) => sum + value, 0)
  }
  const ask = `GET /v1/checks?limit=100 HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${plane.apiKey}\r\n\r\n`
  return { ...plane, listsMade, ask }
}

t.test('600 long lists at once, with a key: others get their turn after each of them', async (t) => {
  const { url: base, call, listsMade, ask } = await withLongList(t)
  const { text } = await call('GET', '/v1/checks?limit=100')
  t.ok(text.length > 500_000, `${text.length} characters`)
  const flood = exchange(portOf(base), ask.repeat(600))
  const between: number[] = []
  for (let round = 0; round < 20; round += 1) {
    const before = await listsMade()
    t.equal((await call('GET', '/v1/locations')).status, 200)
    between.push((await listsMade()) - before)
  }
  t.ok(Math.max(...between) <= 5, `lists that others waited for: ${between.join()}`)
  const answered = await flood
  t.strictSame(
    statusesOf(answered),
    Array.from({ length: 101 }, () => '200'),
  )
  t.ok(answered.length > 101 * text.length, 'each is whole')
})

t.test('of long lists that nobody reads no more are made than the kernel takes', async (t) => {
  const { url: base, call, listsMade, ask } = await withLongList(t)
  const socket = connect(portOf(base), '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.on('error', () => undefined).pause()
  socket.write(ask.repeat(600))
  let last = -1
  let same = 0
  // Each call is many turns of the loop: one that waits for nothing would have gone on.
  while (same < 20) {
    t.equal((await call('GET', '/v1/locations')).status, 200)
    const made = await listsMade()
    same = made === last ? same + 1 : 0
    last = made
  }
  t.ok(last > 0 && last < 40, `${last} of 101`)
})
