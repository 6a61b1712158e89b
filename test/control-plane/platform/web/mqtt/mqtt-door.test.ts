/** Who does not read what it is told is cut before it fills the memory: one by itself, and many together. */
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { connectAsync, type MqttClient } from 'mqtt'
import { generate } from 'mqtt-packet'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { realClock } from '../../../../../agent/program/real-io.ts'
import { openListener } from '../../../../../control-plane/platform/web/http/server/listener.ts'
import { createMqttDoor } from '../../../../../control-plane/platform/web/mqtt/mqtt-door.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { shown } from '../../../../support/mqtt-clients.ts'
import { until } from '../../../../support/until.ts'

const megabyte = 'x'.repeat(1024 * 1024)
/** Kernels keep a few megabytes of a connection that nobody reads. */
const ofKernel = 16

/** A door whose only feed tells a subscriber so many megabytes. */
const openDoor = async (t: Test, plane: TestApp, megabytes: number) => {
  const told = { count: 0 }
  const door = createMqttDoor(plane.app, [
    () => async (send, signal) => {
      for (let count = 0; count < megabytes && !signal.aborted; count += 1) {
        send({ topic: 'a', payload: megabyte })
        told.count += 1
        await nextTurn()
      }
    },
  ])
  const listener = await openListener(0, '127.0.0.1')
  listener.serve((_, response) => response.end(), door)
  t.teardown(async () => {
    door.drain()
    await listener.close(AbortSignal.abort())
  })
  return { url: `ws://127.0.0.1:${listener.port}/mqtt`, told }
}

const reading = async (t: Test, plane: TestApp, url: string): Promise<MqttClient> => {
  const who = { username: plane.accountId, password: plane.apiKey, reconnectPeriod: 0 }
  const client = await connectAsync(url, who, false)
  t.teardown(() => client.endAsync(true))
  return client
}

/** One that subscribes, and reads no more. */
const silent = async (t: Test, plane: TestApp, url: string): Promise<WebSocket> => {
  const socket = new WebSocket(url, 'mqtt')
  t.teardown(() => socket.terminate())
  await once(socket, 'open')
  const said = { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, clientId: 'c' } as const
  const who = { username: plane.accountId, password: Buffer.from(plane.apiKey), keepalive: 60 }
  socket.send(generate({ ...said, ...who }))
  await once(socket, 'message')
  socket.send(generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'a', qos: 0 }] }))
  await once(socket, 'message')
  socket.pause()
  return socket
}

t.test('one that does not read is cut', async (t) => {
  const plane = await testApp(t, { parts: { clock: realClock() } })
  const { url, told } = await openDoor(t, plane, 200)
  const socket = await silent(t, plane, url)
  await until('no more is told', async () => {
    const before = told.count
    for (let turn = 0; turn < 50; turn += 1) await nextTurn()
    return before > 0 && told.count === before
  })
  t.ok(told.count > 16 && told.count <= 17 + ofKernel, `${told.count} MB`)
  const closed = once(socket, 'close')
  socket.resume()
  await closed
  t.equal(await shown(plane, 'cut_listeners_total'), 1)
  t.equal(await shown(plane, 'listeners'), 0)
  t.equal(await shown(plane, 'messages_total'), told.count - 1, 'the last was for nobody')
})

t.test('many that read too little are cut before all of them together take too much', async (t) => {
  const plane = await testApp(t, { parts: { clock: realClock() } })
  const each = 15 + ofKernel
  const { url, told } = await openDoor(t, plane, each)
  const sockets = await Promise.all(Array.from({ length: 12 }, () => silent(t, plane, url)))
  await until('no more is told', async () => {
    const before = told.count
    for (let turn = 0; turn < 50; turn += 1) await nextTurn()
    return before > 0 && told.count === before
  })
  t.ok(told.count < sockets.length * each, `${told.count} of ${sockets.length * each} MB`)
  const cut = Number(await shown(plane, 'cut_listeners_total'))
  t.ok(cut > 0 && cut <= sockets.length, `${cut} are cut`)
  const before = Number(await shown(plane, 'messages_total'))
  const good = await reading(t, plane, url)
  let heard = 0
  good.on('message', () => {
    heard += 1
  })
  await good.subscribeAsync('a')
  await until('all of it', () => heard === each)
  t.ok(good.connected, 'one that reads is told all of it')
  t.equal(await shown(plane, 'messages_total'), before + each)
  t.equal(await shown(plane, 'listeners'), sockets.length + 1 - cut)
})
