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
export const speak = async (
  t: Test,
  plane: TestApp,
  headers: Record<string, string> = {},
): Promise<Spoken> => {
  const socket = new WebSocket(`${plane.url.replace('http', 'ws')}/mqtt`, 'mqtt', { headers })
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

/** What `/metrics` shows of a series of those who listen; undefined: there is none. */
export const shown = async ({ call }: TestApp, series: string): Promise<number | undefined> => {
  const { text } = await call('GET', '/metrics')
  const line = text.split('\n').find((one) => one.startsWith(`watchpost_mqtt_${series} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

export const refusedFor = (plane: TestApp, reason: string): Promise<number | undefined> =>
  shown(plane, `refused_connections_total{reason="${reason}"}`)
