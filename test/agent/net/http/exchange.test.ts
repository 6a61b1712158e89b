import t from 'tap'
import { exchange } from '../../../../agent/net/http/exchange.ts'
import type { RealIo } from '../../../../agent/program/real-io.ts'
import { agentIo } from '../../../support/agent-io.ts'
import { tcpServer } from '../../../support/servers.ts'

t.test('a run that ends while its large body waits for a turn gives up its place', async (t) => {
  const server = await tcpServer(t, (socket) =>
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.write(Buffer.alloc(8 * 1024 * 1024))
    }),
  )
  const controller = new AbortController()
  const said: string[] = []
  const io: RealIo = {
    ...agentIo(),
    // Nobody ever gets a turn, and the run is cut off as soon as it asks for one.
    downloadThrottle: {
      open: () => ({
        took: () => {
          if (said.length === 0) setImmediate(() => controller.abort(new Error('the run is over')))
          said.push('took')
          return false
        },
        leave: () => {
          said.push('left')
        },
      }),
    },
  }
  const request = {
    url: new URL(server.origin),
    method: 'GET',
    headers: {},
    body: null,
    keepBytes: 1000,
    ipFamily: 'IPv4' as const,
    skipTls: false,
  }
  await t.rejects(exchange(request, io, controller.signal), { message: 'the run is over' })
  for (let turns = 0; turns < 1000 && said.at(-1) !== 'left'; turns += 1)
    await new Promise((resolve) => setImmediate(resolve))
  t.equal(said.filter((word) => word === 'left').length, 1)
  t.equal(said.at(-1), 'left', 'and takes nothing afterwards')
})
