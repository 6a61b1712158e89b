/** What a single connection may ask of a control plane. */
import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { testApp } from '../../../../support/app.ts'

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
