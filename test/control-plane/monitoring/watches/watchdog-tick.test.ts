// Runs on both engines in test:all: its statements run in no other file.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { watchdogTick } from '../../../../control-plane/monitoring/watches/watchdog-tick.ts'
import { createOutgoing } from '../../../../control-plane/platform/services/outgoing/outgoing.ts'
import { createOutgoingNetworks } from '../../../../control-plane/platform/services/outgoing/outgoing-networks.ts'
import { readConfig } from '../../../../control-plane/read-config.ts'
import { eachDatabase } from '../../../support/databases.ts'
import { addCheck, engineRoom } from '../../../support/engine-room.ts'

const heartbeat = async (
  test: Test,
): Promise<{ url: string; pings: () => number; answer: (status: number) => void }> => {
  let pings = 0
  let status = 200
  const server = createServer((_, response) => {
    pings += 1
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  test.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, pings: () => pings, answer: (next) => (status = next) }
}

eachDatabase('it is pinged as long as all is done, and no longer', async (t, db) => {
  const { url, pings, answer } = await heartbeat(t)
  const room = engineRoom(db)
  const said: string[] = []
  const log = {
    info: (line: string) => said.push(line),
    warn: ({ problem }: { problem: string }) => said.push(problem),
  }
  const outgoing = createOutgoing({ networks: createOutgoingNetworks(['127.0.0.0/8']) })
  const app = {
    ...room.app,
    log,
    outgoing,
    config: { ...room.app.config, watchdogUrl: url },
  } as unknown as Parameters<typeof watchdogTick>[0]
  await watchdogTick(app)
  t.equal(pings(), 1)
  await addCheck(room, { id: 'c', periodMs: 10_000 })
  room.advance(100_000)
  await watchdogTick(app)
  t.equal(pings(), 1, 'due times are not planned')
  await watchdogTick(app)
  t.strictSame(said, ['due times are not planned'], 'said once')
  await db.execute((k) => k.deleteFrom('schedules'))
  answer(500)
  await watchdogTick(app)
  answer(200)
  await watchdogTick(app)
  t.equal(pings(), 3)
  t.strictSame(said.slice(1), [
    'WATCHDOG_URL answered 500',
    'The watchdog is told again that this control plane works',
  ])
})

t.test('a wrong address stops the start', (t) => {
  t.throws(
    () => readConfig({ WATCHDOG_URL: 'ftp://example.com' }),
    /WATCHDOG_URL must be an http or https address/,
  )
  t.equal(readConfig({}).watchdogUrl, null)
  t.end()
})
