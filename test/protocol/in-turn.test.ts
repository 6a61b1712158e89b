import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t, { type Test } from 'tap'
import { inTurn } from '../../protocol/in-turn.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const open = async (t: Test, handler: Handler, maxWaiting = 100): Promise<number> => {
  const server = createServer(inTurn(handler, { maxWaiting, nextTurn: setImmediate }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

const pipelined = (count: number): string =>
  Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: here\r\n\r\n`).join('')

/** Sends `count` requests in one piece and reads until `wanted` answers came or the connection was closed. */
const ask = async (
  port: number,
  count: number,
  wanted: number,
): Promise<{ text: string; wasClosed: boolean }> => {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.write(pipelined(count))
  for await (const piece of socket) {
    text += piece
    if (answersIn(text).length < wanted) continue
    socket.destroy()
    return { text, wasClosed: false }
  }
  return { text, wasClosed: true }
}

const answersIn = (text: string): string[] =>
  [...text.matchAll(/path (\/\d+)\n/g)].map(([, path = '']) => path)
const paths = (count: number): string[] => Array.from({ length: count }, (_, index) => `/${index}`)

t.test(
  'pipelined requests are answered in their order, one at a time, with a turn for others between them',
  async (t) => {
    let active = 0
    let most = 0
    let turns = 0
    const turnsSeen = new Set<number>()
    const port = await open(t, (request, response) => {
      active += 1
      most = Math.max(most, active)
      turnsSeen.add(turns)
      response.once('close', () => {
        active -= 1
      })
      setImmediate(() => {
        turns += 1
        response.end(`path ${request.url}\n`)
      })
    })
    const { text } = await ask(port, 50, 50)
    t.strictSame(answersIn(text), paths(50))
    t.equal(most, 1)
    t.equal(turnsSeen.size, 50)
  },
)

t.test(
  'whoever sends too many ahead gets those that were taken, and then the connection is closed',
  async (t) => {
    let handled = 0
    const port = await open(
      t,
      (request, response) => {
        handled += 1
        response.end(`path ${request.url}\n`)
      },
      10,
    )
    const { text, wasClosed } = await ask(port, 600, 600)
    t.strictSame(answersIn(text), paths(11))
    t.equal(handled, 11)
    t.equal(text.match(/^connection: close/gim)?.length, 1)
    t.equal(wasClosed, true)
  },
)

t.test('requests of a client that has gone are not begun', async (t) => {
  let handled = 0
  const gone = Promise.withResolvers<void>()
  const port = await open(t, (request, response) => {
    handled += 1
    request.socket.destroy()
    response.once('close', () => setImmediate(gone.resolve))
  })
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(pipelined(20))
  await gone.promise
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(handled, 1)
})

t.test('connections do not wait for each other', async (t) => {
  const held: ServerResponse[] = []
  const port = await open(t, (request, response) => {
    if (request.url === '/0') held.push(response)
    else response.end(`path ${request.url}\n`)
  })
  const slow = connect(port, '127.0.0.1')
  slow.write(pipelined(2))
  const quick = connect(port, '127.0.0.1')
  quick.write('GET /7 HTTP/1.1\r\nHost: here\r\n\r\n')
  const [answer] = await once(quick, 'data')
  t.match(String(answer), /path \/7/)
  held[0]?.end('path /0\n')
  let text = ''
  for await (const piece of slow) {
    text += piece
    if (answersIn(text).length === 2) break
  }
  t.strictSame(answersIn(text), paths(2))
  quick.destroy()
})
