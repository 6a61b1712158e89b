/**
 * MQTT over WebSocket at `/mqtt`, on the port of everything else: a door for clients that hear results from a message broker. There is no broker
 * behind it: nobody publishes, and what is told is read from the store (`Feed`).
 *
 * Bounds: the size of what a client sends, connections of an address, of an account and in all, subscriptions and silence (mqtt-session.ts), and
 * how much may wait for a slow reader.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet'
import { type WebSocket, WebSocketServer } from 'ws'
import type { App } from '../../app/app.ts'
import type { HasMetrics } from '../../app/metrics.ts'
import { ApiError, errorBody } from '../../words/errors.ts'
import { doorOf } from '../http/auth/door.ts'
import { createRateLimiter } from '../http/limits/rate-limiter.ts'
import type { Upgrades } from '../http/server/listener.ts'
import { mqttMetrics } from './mqtt-metrics.ts'
import { type Admitted, type Feed, type MqttSession, openMqttSession, type Refusal } from './mqtt-session.ts'

const path = '/mqtt'
/** CONNECT, SUBSCRIBE and PINGREQ are small. */
const maxPacketBytes = 16_384
/** Packets that arrive while one before them is being answered. */
const maxWaiting = 50
/** Of what was told and nobody has read: of one client, more than one result; of all, and then the one that has most goes. */
const maxUnreadBytes = 16 * 1024 * 1024
const maxUnreadOfAllBytes = 64 * 1024 * 1024
const maxConnections = 500
const maxPerAccount = 50
/** That have not said who they are. */
const maxStrangersPerAddress = 20
const connectsPerKey = { requests: 120, seconds: 60 }
const maxCounted = 10_000
/** For the client to say goodbye. */
const goodbyeMs = 2000
const goingAway = 1001
const tooBig = 1009
const refusedData = 1003

type MqttDoor = Upgrades & {
  /** Connections are closed; new ones find nobody. */
  drain(): void
}

export const createMqttDoor = <A extends App & HasMetrics>(app: A, feeds: readonly Feed<A>[]): MqttDoor => {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxPacketBytes,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: () => 'mqtt',
  })
  const { open, cutWhoIsBehind } = createOpen(app)
  const admission = createAdmission(app)
  const strangers = createCounter()
  let draining = false

  const opened = (socket: WebSocket, request: IncomingMessage): void => {
    const address = doorOf(app).clientOf(request).name
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    const letGo = strangers.hold(address, maxStrangersPerAddress)
    if (letGo === null) {
      mqttMetrics.refused(app).inc({ reason: 'address' })
      farewell(app, socket, goingAway)
      return
    }
    socket.once('close', letGo)
    const admit = async (packet: IConnectPacket) => {
      const admitted = await admission(request, packet)
      if (typeof admitted !== 'string') letGo()
      return admitted
    }
    speak(app, { socket, cutWhoIsBehind }, (wire) => openMqttSession(app, { wire, feeds, admit }))
  }

  return {
    takes: ({ url = '', headers }) =>
      !draining &&
      (url === path || url.startsWith(`${path}?`)) &&
      headers.upgrade?.toLowerCase() === 'websocket',
    handle: (request, socket, head) => {
      const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',')
      if (!protocols.some((name) => name.trim() === 'mqtt')) {
        mqttMetrics.refused(app).inc({ reason: 'protocol' })
        return refuse(socket, 400, 'The subprotocol here is "mqtt"')
      }
      if (open.size >= maxConnections) {
        mqttMetrics.refused(app).inc({ reason: 'full' })
        return refuse(socket, 503, 'There are too many connections')
      }
      server.handleUpgrade(request, socket, head, opened)
    },
    drain: () => {
      draining = true
      for (const socket of open) farewell(app, socket, goingAway)
    },
  }
}

/** All that are open, and what they leave unread. */
const createOpen = (app: HasMetrics) => {
  const open = new Set<WebSocket>()
  const cut = (socket: WebSocket): void => {
    if (!open.delete(socket)) return
    mqttMetrics.cut(app).inc()
    socket.terminate()
  }

  /** Who does not read what is told is told no more. */
  const cutWhoIsBehind = (socket: WebSocket): void => {
    if (socket.bufferedAmount > maxUnreadBytes) cut(socket)
    if (socket.bufferedAmount === 0 || socket.readyState !== socket.OPEN) return
    const [most, ...others] = [...open].toSorted((one, other) => other.bufferedAmount - one.bufferedAmount)
    if (most === undefined) return
    const unread = others.reduce((sum, one) => sum + one.bufferedAmount, most.bufferedAmount)
    if (unread > maxUnreadOfAllBytes) cut(most)
  }

  return { open, cutWhoIsBehind }
}

type Wire = Parameters<typeof openMqttSession>[1]['wire']

/** Packets in and out of a socket, one after the other. */
const speak = (
  app: App & HasMetrics,
  { socket, cutWhoIsBehind }: { socket: WebSocket; cutWhoIsBehind(socket: WebSocket): void },
  openSession: (wire: Wire) => MqttSession,
): void => {
  const closed = new AbortController()
  socket.once('close', () => closed.abort())
  // What breaks a connection closes it.
  socket.on('error', () => socket.terminate())
  const end = (code = 1000): void => farewell(app, socket, code)
  const send = (packet: Packet): void => {
    cutWhoIsBehind(socket)
    if (socket.readyState !== socket.OPEN) return
    socket.send(generate(packet))
    if (packet.cmd === 'publish') mqttMetrics.messages(app).inc()
  }
  const session = openSession({ send, end: () => end(), closed: closed.signal })
  const packets = parser({ protocolVersion: 4 })
  let waiting = 0
  let turn = Promise.resolve()
  packets.on('packet', (packet: Packet) => {
    waiting += 1
    if (waiting > maxWaiting) return end(tooBig)
    turn = turn
      .then(() => (socket.readyState === socket.OPEN ? session.received(packet) : undefined))
      .catch((error: unknown) => {
        app.log.warn({ err: error }, 'A packet could not be answered')
        end()
      })
      .finally(() => {
        waiting -= 1
      })
  })
  packets.on('error', () => end(refusedData))
  socket.on('message', (data, isBinary) => {
    if (!isBinary || !Buffer.isBuffer(data)) return end(refusedData)
    if (packets.parse(data) > maxPacketBytes) end(tooBig)
  })
}

const farewell = (app: App, socket: WebSocket, code: number): void => {
  if (socket.readyState !== socket.OPEN) return
  const gone = new AbortController()
  socket.once('close', () => gone.abort())
  socket.close(code)
  void app.clock.sleep(goodbyeMs, gone.signal).then(() => socket.terminate())
}

const refuse = (socket: Duplex, status: number, message: string): void => {
  const body = errorBody(status, message)
  const text = JSON.stringify(body)
  socket.once('error', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${body.error}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}

/** How many there are of each name. */
const createCounter = () => {
  const counts = new Map<string, number>()
  return {
    /** Gives back how to let go, once; null: there are `max` already. */
    hold: (name: string, max: number): (() => void) | null => {
      const count = counts.get(name) ?? 0
      if (count >= max) return null
      counts.set(name, count + 1)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        const left = (counts.get(name) ?? 1) - 1
        if (left === 0) counts.delete(name)
        else counts.set(name, left)
      }
    },
  }
}

/** By the account's id as the user's name, and a key as the password. */
const createAdmission = (app: App & HasMetrics) => {
  const door = doorOf(app)
  const connects = createRateLimiter(connectsPerKey, maxCounted)
  const accounts = createCounter()
  return async (
    request: IncomingMessage,
    { username = '', password }: IConnectPacket,
  ): Promise<Admitted | Refusal> => {
    const authorization = `Bearer ${password?.toString() ?? ''}`
    const named = { name: 'user name', value: username }
    const look = () => door.account(request, authorization, named)
    try {
      const { accountId, keyId } = await look()
      if (!connects.take({ name: keyId, wider: () => accountId }, app.clock.now()).allowed) return 'rate'
      const left = accounts.hold(accountId, maxPerAccount)
      if (left === null) return 'account'
      return { accountId, left, isStillGood: () => look().then(() => true, refusedBy) }
    } catch (error) {
      if (!(error instanceof ApiError)) {
        mqttMetrics.refused(app).inc({ reason: 'error' })
        throw error
      }
      return error.status === 429 ? 'rate' : 'key'
    }
  }
}

/** A store that is away is no reason to take a key for a wrong one. */
const refusedBy = (error: unknown): boolean => !(error instanceof ApiError)
