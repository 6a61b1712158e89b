/**
 * Connections of the outgoing client, one request at a time on each, used again for a moment: a thousand notifications
 * to one receiver are not a thousand handshakes. A connection belongs to one origin and one address, and whoever takes it
 * has judged that address for this very request (outgoing-ways.ts): using it again reaches nothing that a new one would not.
 * By a proxy, an https origin has a tunnel through it, and an http one a connection to the proxy itself, which is told the
 * whole address, as proxies without tunnels to other ports than 443 expect.
 */
import { buildConnector, Client } from 'undici'
import { type OutgoingProxy, openTunnel } from './outgoing-proxy.ts'
import type { Address, Way } from './outgoing-ways.ts'

export type Connection = {
  client: Client
  key: string
  /** The proxy that reads the requests on it. */
  forwarder: OutgoingProxy | null
  /** It has carried a request before, so that the other side may be about to close it. */
  isUsed: boolean
  isOpen: boolean
}

export type Connections = {
  take(origin: string, way: Way): Connection
  /** A new one, whatever waits. */
  open(origin: string, way: Way): Connection
  /** After an answer that was read to its end. */
  keep(connection: Connection): void
  /** After anything else. */
  drop(connection: Connection): Promise<void>
}

/** Most servers wait for five seconds and longer; who closes first must not be a matter of chance. */
const idleMs = 2000
/** As many as notifications are on their way at once (alerting/lanes.ts). */
const maxIdle = 256

export const createConnections = (): Connections => {
  const idle = new Map<string, Connection[]>()
  let count = 0

  const remove = (connection: Connection): void => {
    const waiting = idle.get(connection.key)
    const at = waiting?.indexOf(connection) ?? -1
    if (waiting === undefined || at < 0) return
    waiting.splice(at, 1)
    count -= 1
    if (waiting.length === 0) idle.delete(connection.key)
  }

  const open = (origin: string, way: Way): Connection => {
    const forwarder = 'proxy' in way && origin.startsWith('http:') ? way.proxy : null
    const client = new Client(forwarder?.origin ?? origin, {
      connect: forwarder === null ? connectBy(way) : { autoSelectFamily: true },
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      pipelining: 1,
    })
    const connection = { client, key: keyOf(origin, way), forwarder, isUsed: false, isOpen: false }
    client.on('connect', () => {
      connection.isOpen = true
    })
    client.on('disconnect', () => {
      connection.isOpen = false
      remove(connection)
    })
    return connection
  }

  const drop = ({ client }: Connection): Promise<void> => client.destroy()

  return {
    open,
    drop,
    take: (origin, way) => {
      const known = idle.get(keyOf(origin, way))?.at(-1)
      if (known === undefined) return open(origin, way)
      remove(known)
      return known
    },
    keep: (connection) => {
      if (!connection.isOpen || count >= maxIdle) {
        void drop(connection)
        return
      }
      const waiting = idle.get(connection.key) ?? []
      connection.isUsed = true
      waiting.push(connection)
      idle.set(connection.key, waiting)
      count += 1
    },
  }
}

const keyOf = (origin: string, way: Way): string =>
  `${origin} ${'proxy' in way ? way.proxy.origin : way.pinned.address}`

const connectBy = (way: Way): buildConnector.BuildOptions | buildConnector.connector =>
  'proxy' in way ? tunnelledBy(way.proxy) : pinnedTo(way.pinned)

const pinnedTo = (pinned: Address): buildConnector.BuildOptions => ({
  lookup: (_host, options, found) => {
    if (options.all) found(null, [pinned])
    else found(null, pinned.address, pinned.family)
  },
})

const tunnelledBy = (proxy: OutgoingProxy): buildConnector.connector => {
  const speakTls = buildConnector({})
  return (options, connected) => {
    openTunnel(proxy, `${options.hostname}:${options.port || 443}`).then(
      (httpSocket) => speakTls({ ...options, httpSocket }, connected),
      (error: Error) => connected(error, null),
    )
  }
}
