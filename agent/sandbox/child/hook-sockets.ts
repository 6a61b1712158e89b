import dns from 'node:dns'
import net, { isIP, type LookupFunction, type Socket } from 'node:net'
import { type HostCallback, negotiate } from './negotiate.ts'

type ConnectOptions = {
  host?: string
  port?: number | string
  path?: unknown
  family?: number
  lookup?: LookupFunction
}

/** Connections of sockets are made by the egress proxy, which is given their names as they are. */
export const hookSockets = (egressProxyPort: number): void => {
  const { connect } = net.Socket.prototype
  const egressProxy = { host: '127.0.0.1', port: egressProxyPort }
  net.Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
    const [options, done] = argumentsOf(args)
    if (options.path) throw new Error('Scripts cannot connect to local sockets')
    const { host = 'localhost' } = options
    const port = Number(options.port ?? Number.NaN)
    // What Node would not take it shall refuse itself, in its own words.
    const isOdd = !Number.isInteger(port) || port < 0 || port > 65_535 || typeof host !== 'string'
    if (isOdd || (host === egressProxy.host && port === egressProxy.port) || 'getPeerX509Certificate' in this)
      return Reflect.apply(connect, this, args)
    if (done !== undefined) this.once('connect', done)
    negotiate(this, { host, port, settle: (then) => settle(host, options, then) })
    return Reflect.apply(connect, this, [egressProxy])
  } as typeof connect
}

/** As Node reads them; what it has read already comes in one array. */
const argumentsOf = (args: unknown[]): [ConnectOptions, (() => void) | undefined] => {
  const all: unknown[] = Array.isArray(args[0]) ? args[0] : args
  const [first, second] = all
  const last = all.at(-1)
  const done = typeof last === 'function' ? (last as () => void) : undefined
  if (typeof first === 'object' && first !== null) return [first as ConnectOptions, done]
  // A text that is no port is a path.
  if (typeof first === 'string' && !(Number(first) >= 0)) return [{ path: first }, done]
  return [{ port: first as number, ...(typeof second === 'string' ? { host: second } : {}) }, done]
}

/** The host to ask the egress proxy for: a name, unless the program resolves it itself or wants one family. */
const settle = (host: string, { lookup, family }: ConnectOptions, then: HostCallback): void => {
  const own = lookup !== undefined && lookup !== dns.lookup
  if (isIP(host) !== 0 || !(own || family === 4 || family === 6)) {
    then(null, host)
    return
  }
  const options = { all: true, ...(family === undefined ? {} : { family }) }
  const resolve = lookup ?? dns.lookup
  resolve(host, options, (error, found) => {
    const first = Array.isArray(found) ? found[0]?.address : found
    then(error, first ?? host)
  })
}
