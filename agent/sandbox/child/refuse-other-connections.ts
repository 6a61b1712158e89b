import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'

/** libuv's number for EACCES. */
const refused = -13

type Handle = Record<string, (...args: unknown[]) => number>
type Owner = { _handle: Handle }

/**
 * Takes from the handles under the sockets of this process what would lead elsewhere than to the egress proxy, for whoever gets hold of one.
 * Nothing here asks an object that the script could have replaced: numbers and texts are compared with themselves.
 */
export const refuseOtherConnections = (egressProxyPort: number): void => {
  const tcp = handleOf(net.connect({ host: '127.0.0.1', port: 1 }))
  const connect = tcp['connect'] as Handle[string]
  const { apply } = Reflect
  tcp['connect'] = function (this: Handle, ...args) {
    const refusedOwnPort = args[1] === '127.0.0.1' && args[2] === egressProxyPort
    return refusedOwnPort ? apply(connect, this, args) : refused
  }
  close(tcp, ['connect6', 'bind', 'bind6', 'listen'])
  close(handleOf(net.connect({ path: '/' })), ['connect', 'bind', 'listen'])
  close(datagramHandle(), ['bind', 'bind6', 'connect', 'connect6', 'send', 'send6', 'open'])
  const resolver = handleUnder(new dns.Resolver())
  close(resolver, Object.keys(resolver).filter(asks))
  forbidListening()
  forbidDatagrams()
}

const close = (handle: Handle, names: readonly string[]): void => {
  for (const name of names) handle[name] = () => refused
}

const asks = (name: string): boolean => /^(query|getHost|set)/.test(name)

/** What all handles of the kind share. Node's types do not tell of handles. */
const handleUnder = (owner: object): Handle => Object.getPrototypeOf((owner as Owner)._handle) as Handle

/** Of a socket that is destroyed before it would connect. */
const handleOf = (socket: net.Socket): Handle => {
  const handle = handleUnder(socket)
  socket.on('error', () => undefined)
  socket.destroy()
  return handle
}

type Datagrams = { _createSocketHandle(address: null, port: number, type: string): Handle }

const datagramHandle = (): Handle =>
  Object.getPrototypeOf((dgram as typeof dgram & Datagrams)._createSocketHandle(null, 0, 'udp4')) as Handle

const forbidListening = (): void => {
  net.Server.prototype.listen = (): never => {
    throw new Error('EACCES: scripts cannot listen')
  }
}

/** Packages of a runtime may load the module. */
const forbidDatagrams = (): void => {
  const forbid = (): never => {
    throw new Error('Scripts cannot send datagrams')
  }
  Object.assign(dgram, { createSocket: forbid, Socket: forbid, _createSocketHandle: forbid })
}
