import net, { isIP, type Socket } from 'node:net'
import tls, { type ConnectionOptions, type TLSSocket } from 'node:tls'

type SocketOptions = Partial<
  Record<'allowHalfOpen' | 'noDelay' | 'keepAlive' | 'keepAliveInitialDelay', unknown>
>

type Connect = (options: ConnectionOptions, done?: () => void) => TLSSocket

/**
 * TLS begins on a socket of ours, which the egress proxy connects. It is given away before it connects: Node then puts TLS round what the
 * socket reads, and not round the bytes under it, the first of which are the egress proxy's.
 */
export const hookTls = (): void => {
  const connect = tls.connect as Connect
  tls.connect = ((...args: unknown[]) => {
    const [options, done] = argumentsOf(args)
    if (options.socket !== undefined && options.socket !== null) return connect(options, done)
    if (options.path !== undefined && options.path !== null)
      throw new Error('Scripts cannot connect to local sockets')
    const { allowHalfOpen, noDelay, keepAlive, keepAliveInitialDelay } = options as SocketOptions
    const inner = new net.Socket({ allowHalfOpen, noDelay, keepAlive, keepAliveInitialDelay } as object)
    const secured = connect({ ...options, socket: inner }, done)
    if (options.timeout) secured.setTimeout(options.timeout)
    inner.once('connect', () => adopt(secured, inner))
    secured.once('close', () => inner.destroy())
    inner.connect(options as net.TcpNetConnectOpts)
    return secured
  }) as typeof tls.connect
}

/** What its owner would know of a socket that had connected itself. */
const adopt = (secured: TLSSocket, inner: Socket): void => {
  const { remoteAddress: address = '', remotePort: port } = inner
  Object.assign(secured, { _peername: { address, family: `IPv${isIP(address)}`, port } })
  secured.emit('ready')
}

/** `(options)`, `(port, host, options)`, `(path, options)`, each with a callback at the end or without. */
const argumentsOf = (args: unknown[]): [ConnectionOptions, (() => void) | undefined] => {
  const last = args.at(-1)
  const done = typeof last === 'function' ? (last as () => void) : undefined
  const named = args.filter((arg) => typeof arg === 'object' && arg !== null)
  const [first, second] = args
  const isPath = typeof first === 'string' && !(Number(first) >= 0)
  const target = typeof first === 'object' ? {} : isPath ? { path: first } : { port: Number(first) }
  return [Object.assign(target, typeof second === 'string' ? { host: second } : {}, ...named), done]
}
