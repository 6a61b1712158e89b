/** Clients of MQTT: one that people use, and one that says what it likes. */
import { once } from 'node:events'
import { connectAsync, type MqttClient } from 'mqtt'
import { type Packet, parser } from 'mqtt-packet'
import type { Test } from 'tap'
import { WebSocket } from 'ws'
import type { TestApp } from './app.ts'

export const connect = async (t: Test, plane: TestApp, more: object = {}): Promise<MqttClient> => {
  const url = `${plane.url.replace('http', 'ws')}/mqtt?authenticationScheme=userApiKey`
  const who = { username: plane.accountId, password: plane.apiKey }
  const client = await connectAsync(url, { reconnectPeriod: 0, ...who, ...more }, false)
  t.teardown(() => client.endAsync(true))
  return client
}

export const topicOf = (accountId: string, suite: string): string =>
  `account/${accountId}/ad-hoc-check-results/${suite}/+/+/+`

type Spoken = { socket: WebSocket; heard: Packet[]; closed: Promise<unknown> }

/** A client that says what it likes. */
export const speak = async (t: Test, plane: TestApp): Promise<Spoken> => {
  const socket = new WebSocket(`${plane.url.replace('http', 'ws')}/mqtt`, 'mqtt')
  const heard: Packet[] = []
  const packets = parser({ protocolVersion: 4 })
  packets.on('packet', (packet: Packet) => heard.push(packet))
  socket.on('message', (data) => packets.parse(data as Buffer))
  const closed = once(socket, 'close')
  await once(socket, 'open')
  t.teardown(() => socket.terminate())
  return { socket, heard, closed }
}

export const hello = ({ accountId: username, apiKey: password }: TestApp, more: object = {}): Packet => ({
  ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, clientId: 'c', keepalive: 60 },
  ...{ username, password: Buffer.from(password) },
  ...more,
})
