/** Who may listen, and what ends whoever does: keys, accounts, packets, silence and the end of the program. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { generate, type Packet } from 'mqtt-packet'
import t from 'tap'
import { WebSocket } from 'ws'
import { realClock } from '../../../../../agent/program/real-io.ts'
import { testApp } from '../../../../support/app.ts'
import { connect, hello, refusedFor, shown, speak, topicOf } from '../../../../support/mqtt-clients.ts'
import { until } from '../../../../support/until.ts'

const clock = realClock()

/** The status of the answer to one that is no WebSocket. */
const refusedWith = async (url: string, protocol: string[], headers = {}): Promise<number> => {
  const socket = new WebSocket(url, protocol, { headers })
  const [, response] = await once(socket, 'unexpected-response')
  response.resume()
  return response.statusCode
}

t.test('only who has a key of the account may listen, and only to its own', async (t) => {
  const plane = await testApp(t, { parts: { clock } })
  const other = await plane.addKey()
  for (const wrong of [
    { password: Buffer.from('wp_wrong') },
    { username: other.accountId },
    { username: 'nobody' },
    { username: undefined, password: undefined },
  ]) {
    const { socket, heard, closed } = await speak(t, plane)
    socket.send(generate(hello(plane, wrong)))
    await closed
    t.match(heard, [{ cmd: 'connack', returnCode: 5 }])
  }
  t.equal(await refusedFor(plane, 'key'), 4)
  const client = await connect(t, plane)
  for (const topic of [
    topicOf(other.accountId, randomUUID()),
    `account/${plane.accountId}/#`,
    '#',
    `account/${plane.accountId}/ad-hoc-check-results/+/+/+/+`,
  ])
    await t.rejects(client.subscribeAsync(topic), `not ${topic}`)
  const own = topicOf(plane.accountId, randomUUID())
  t.match(await client.subscribeAsync(own), [{ topic: own, qos: 0 }])
  for (let more = 1; more < 10; more++) await client.subscribeAsync(topicOf(plane.accountId, randomUUID()))
  await t.rejects(client.subscribeAsync(topicOf(plane.accountId, randomUUID())), 'ten are enough')
  await client.unsubscribeAsync(own)
  await client.subscribeAsync(topicOf(plane.accountId, randomUUID()))
})

t.test('a key that is taken away ends what listens with it, whatever it says', async (t) => {
  const plane = await testApp(t, { parts: { clock } })
  const keys = '/v1/accounts/me/service-keys'
  const subscription = { topic: topicOf(plane.accountId, randomUUID()), qos: 0 } as const
  const said: Packet[] = [
    { cmd: 'pingreq' },
    { cmd: 'subscribe', messageId: 2, subscriptions: [subscription] },
    { cmd: 'unsubscribe', messageId: 3, unsubscriptions: [subscription.topic] },
  ]
  for (const packet of said) {
    const made = await plane.call('POST', keys, { body: { name: packet.cmd, role: 'READ_ONLY' } })
    t.equal(made.status, 201)
    const { socket, heard, closed } = await speak(t, plane)
    socket.send(generate(hello(plane, { password: Buffer.from(made.body.rawKey) })))
    await until('it is let in', () => heard.length === 1)
    t.match(heard, [{ cmd: 'connack', returnCode: 0 }])
    t.match(await plane.call('DELETE', `${keys}/${made.body.id}`), { status: 204 })
    let isClosed = false
    void closed.then(() => {
      isClosed = true
    })
    await until(`${packet.cmd} is answered no more`, () => {
      if (!isClosed) socket.send(generate(packet))
      return isClosed
    })
    t.notMatch(JSON.stringify(plane.logged), made.body.rawKey, 'and it is in no log')
  }
})

t.test('an account has fifty listeners at most', async (t) => {
  const plane = await testApp(t, { parts: { clock } })
  const clients = await Promise.all(Array.from({ length: 50 }, () => connect(t, plane)))
  const { socket, heard, closed } = await speak(t, plane)
  socket.send(generate(hello(plane)))
  await closed
  t.match(heard, [{ cmd: 'connack', returnCode: 3 }])
  t.equal(await refusedFor(plane, 'account'), 1)
  t.equal(await shown(plane, 'listeners'), 50, 'who was refused is none')
  await clients[0]?.endAsync()
  await until('it is gone', async () => (await shown(plane, 'listeners')) === 49)
  t.ok((await connect(t, plane)).connected, 'one that goes makes room')
  t.equal(await shown(plane, 'listeners'), 50)
})

t.test('wrong keys count together, wherever they are tried', async (t) => {
  const plane = await testApp(t, { parts: { clock } })
  for (let tried = 0; tried < 71; tried++) await plane.call('GET', '/v1/checks', { key: `wp_${tried}` })
  const { socket, heard, closed } = await speak(t, plane)
  socket.send(generate(hello(plane, { password: Buffer.from('wp_further') })))
  await closed
  t.match(heard, [{ cmd: 'connack', returnCode: 3 }])
  t.equal(await refusedFor(plane, 'rate'), 1)
})

t.test('a key that cannot be looked up is no wrong one', async (t) => {
  const plane = await testApp(t, { parts: { clock } })
  t.equal(await refusedFor(plane, 'error'), 0, 'each reason is shown before it happens')
  await plane.app.db.close()
  const { socket, heard, closed } = await speak(t, plane)
  socket.send(generate(hello(plane)))
  await closed
  t.strictSame(heard, [])
  t.equal(await refusedFor(plane, 'error'), 1)
  t.equal(await refusedFor(plane, 'key'), 0)
})

t.test('five hundred connections are all, wherever they come from', async (t) => {
  const plane = await testApp(t, { parts: { clock }, env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
  const from = (place: number) => ({ 'x-forwarded-for': `192.0.2.${Math.floor(place / 20)}` })
  for (let place = 0; place < 500; place++) await speak(t, plane, from(place))
  t.equal(await refusedFor(plane, 'address'), 0)
  const url = `${plane.url.replace('http', 'ws')}/mqtt`
  t.equal(await refusedWith(url, ['mqtt'], from(500)), 503)
  t.equal(await refusedFor(plane, 'full'), 1)
  t.equal(await shown(plane, 'listeners'), 0, 'none has said who it is')
})

t.test('whoever says anything else is cut', async (t) => {
  const plane = await testApp(t, { parts: { clock } })
  const publish: Packet = { cmd: 'publish', topic: 'x', payload: 'y', qos: 0, dup: false, retain: false }
  const said: Array<[string, Buffer | string]> = [
    ['a message of its own', Buffer.concat([generate(hello(plane)), generate(publish)])],
    ['a subscription before it says who it is', generate({ cmd: 'pingreq' })],
    ['who it is twice', Buffer.concat([generate(hello(plane)), generate(hello(plane))])],
    ['goodbye', Buffer.concat([generate(hello(plane)), generate({ cmd: 'disconnect' })])],
    ['a text', 'hello'],
    ['no packet', Buffer.from([0, 0, 0, 0])],
    ['too much', Buffer.alloc(20_000)],
    ['too much in pieces', Buffer.concat([Buffer.from([0x10, 0xff, 0xff, 0x7f]), Buffer.alloc(16_370)])],
    ['another version', generate(hello(plane, { protocolVersion: 5 }), { protocolVersion: 5 })],
  ]
  for (const [what, bytes] of said) {
    const { socket, closed } = await speak(t, plane)
    socket.send(bytes)
    if (what.endsWith('pieces')) socket.send(Buffer.alloc(100))
    await closed
    t.pass(what)
  }
  t.equal(await refusedFor(plane, 'protocol'), 1, 'another version')
  const { socket, closed } = await speak(t, plane)
  socket.send(generate(hello(plane, { keepalive: 1 })))
  await closed
  t.pass('silence')
  const alive = await connect(t, plane, { keepalive: 1 })
  await new Promise((heard) => alive.once('packetreceive', heard))
  t.ok(alive.connected, 'one that pings stays')
})

t.test(
  'nothing but WebSocket with the right subprotocol is let in, and all of them go at the end',
  async (t) => {
    const plane = await testApp(t, { parts: { clock } })
    const ws = plane.url.replace('http', 'ws')
    t.equal(await refusedWith(`${ws}/mqtt`, []), 400)
    t.equal(await refusedWith(`${ws}/mqtt`, ['chat']), 400)
    t.equal(await refusedWith(`${ws}/v1/checks`, ['mqtt']), 401, 'elsewhere it is a request like others')
    t.equal((await fetch(`${plane.url}/mqtt`)).status, 404)
    t.equal(await refusedFor(plane, 'protocol'), 2)
    const strangers = await Promise.all(Array.from({ length: 20 }, () => speak(t, plane)))
    const { closed: turnedAway } = await speak(t, plane)
    await turnedAway
    t.equal(await refusedFor(plane, 'address'), 1)
    t.ok(strangers.every(({ socket }) => socket.readyState === socket.OPEN))
    plane.drain()
    await Promise.all(strangers.map(({ closed }) => closed))
  },
)
