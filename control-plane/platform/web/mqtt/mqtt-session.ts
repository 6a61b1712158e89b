/**
 * What one client of MQTT 3.1.1 may say: CONNECT first, then SUBSCRIBE, UNSUBSCRIBE, PINGREQ and DISCONNECT. It is told what feeds have for it, at
 * most once (QoS 0). Whatever else it sends ends the connection, and so does its silence.
 */
import type { IConnectPacket, ISubscribePacket, Packet } from 'mqtt-packet'
import type { App } from '../../app/app.ts'
import type { HasMetrics } from '../../app/metrics.ts'
import { mqttMetrics } from './mqtt-metrics.ts'

type Message = { topic: string; payload: string }

/** What a subscriber is told, until there is no more to say or its signal aborts. */
type Telling = (send: (message: Message) => void, signal: AbortSignal) => Promise<void>

/** Who may hear what. Null: the filter is none of this feed's, or of another account. */
export type Feed<A extends App = App> = (
  app: A,
  subscription: { filter: string; accountId: string },
) => Telling | null

/** Codes of CONNACK. */
const refusals = { protocol: 1, rate: 3, account: 3, key: 5 } as const
export type Refusal = keyof typeof refusals

export type Admitted = {
  accountId: string
  /** Whether its key still opens the account. */
  isStillGood(): Promise<boolean>
  left(): void
}

type Wire = {
  send(packet: Packet): void
  /** After what was sent. */
  end(): void
  closed: AbortSignal
}

type Surroundings<A extends App> = {
  wire: Wire
  feeds: readonly Feed<A>[]
  admit(packet: IConnectPacket): Promise<Admitted | Refusal>
}

const connectWithinMs = 10_000
/** What is allowed changes when it is known who it is. */
const lookEveryMs = 1000
const maxIdleMs = 600_000
const maxSubscriptions = 10
/** Longer than any run takes. */
const longestMs = 2 * 3_600_000
const refusedSubscription = 0x80

export type MqttSession = { received(packet: Packet): Promise<void> }

export const openMqttSession = <A extends App & HasMetrics>(
  app: A,
  { wire, feeds, admit }: Surroundings<A>,
): MqttSession => {
  const subscriptions = createSubscriptions(app, wire, feeds)
  const patience = createPatience(app, wire)
  let caller: Admitted | undefined

  const connect = async (packet: IConnectPacket): Promise<void> => {
    const admitted = packet.protocolVersion === 4 ? await admit(packet) : 'protocol'
    if (typeof admitted === 'string') {
      mqttMetrics.refused(app).inc({ reason: admitted })
      wire.send({ cmd: 'connack', returnCode: refusals[admitted], sessionPresent: false })
      return wire.end()
    }
    if (wire.closed.aborted) return admitted.left()
    const leave = (): void => {
      mqttMetrics.listeners(app).dec()
      admitted.left()
    }
    wire.closed.addEventListener('abort', leave, { once: true })
    mqttMetrics.listeners(app).inc()
    caller = admitted
    patience.allow(packet.keepalive ? packet.keepalive * 1500 : maxIdleMs)
    wire.send({ cmd: 'connack', returnCode: 0, sessionPresent: false })
  }

  const subscribe = ({ subscriptions: wanted, messageId = 0 }: ISubscribePacket, by: Admitted): void => {
    const granted = wanted.map(({ topic }) => (subscriptions.tell(topic, by) ? 0 : refusedSubscription))
    wire.send({ cmd: 'suback', messageId, granted })
  }

  let lookedAt = Number.NEGATIVE_INFINITY
  /** Whatever it says, its key has to open the account still; once a second, however much it says. */
  const mayStay = async (by: Admitted): Promise<boolean> => {
    const now = app.clock.monotonic()
    if (now - lookedAt < lookEveryMs) return true
    lookedAt = now
    return by.isStillGood()
  }

  const received = async (packet: Packet): Promise<void> => {
    patience.heard()
    if (caller === undefined) return packet.cmd === 'connect' ? connect(packet) : wire.end()
    if (!(await mayStay(caller))) return wire.end()
    if (packet.cmd === 'subscribe') return subscribe(packet, caller)
    if (packet.cmd === 'pingreq') return wire.send({ cmd: 'pingresp' })
    if (packet.cmd !== 'unsubscribe') return wire.end()
    packet.unsubscriptions.forEach(subscriptions.stop)
    wire.send({ cmd: 'unsuback', messageId: packet.messageId ?? 0, granted: [] })
  }
  return { received }
}

const createSubscriptions = <A extends App>(app: A, wire: Wire, feeds: readonly Feed<A>[]) => {
  const stops = new Map<string, AbortController>()
  const stop = (filter: string): void => {
    stops.get(filter)?.abort()
    stops.delete(filter)
  }
  const send = ({ topic, payload }: Message): void =>
    wire.send({ cmd: 'publish', topic, payload, qos: 0, dup: false, retain: false })
  /** Whether it may be heard. */
  const tell = (filter: string, { accountId }: Admitted): boolean => {
    if (stops.size >= maxSubscriptions && !stops.has(filter)) return false
    const [telling] = feeds.flatMap((feed) => feed(app, { filter, accountId }) ?? [])
    if (telling === undefined) return false
    stop(filter)
    const stopping = new AbortController()
    stops.set(filter, stopping)
    const signal = AbortSignal.any([stopping.signal, wire.closed])
    telling(send, signal).catch((error: unknown) => {
      if (signal.aborted) return
      app.log.warn({ err: error }, 'What a subscriber is to be told could not be read')
      wire.end()
    })
    return true
  }
  return { tell, stop }
}

type Patience = { heard(): void; allow(idleMs: number): void }

/** Ends the connection of whoever is silent for too long, or has stayed for the longest time. */
const createPatience = (app: App, wire: Wire): Patience => {
  const openedAt = app.clock.monotonic()
  let limitMs = connectWithinMs
  let heardAt = openedAt
  const watch = async (): Promise<void> => {
    while (!wire.closed.aborted) {
      const now = app.clock.monotonic()
      const leftMs = Math.min(heardAt + limitMs, openedAt + longestMs) - now
      if (leftMs <= 0) return wire.end()
      await app.clock.sleep(Math.min(leftMs, lookEveryMs), wire.closed)
    }
  }
  void watch()
  return {
    heard: () => {
      heardAt = app.clock.monotonic()
    },
    allow: (idleMs) => {
      limitMs = Math.min(idleMs, maxIdleMs)
    },
  }
}
