import { isIP, type Socket } from 'node:net'
import { commands, readReplies, requestBytes, type SocksReply, word } from '../../egress-proxy/socks.ts'
import { askedName, connectError } from './connect-error.ts'

/** Is told the host to ask for, or why there is none. */
export type HostCallback = (error: Error | null, host: string) => void

/** `settle` says which host the egress proxy is asked for. */
type ConnectTarget = { host: string; port: number; settle(then: HostCallback): void }

/** What of a socket is Node's own business. */
type SocketInternals = {
  connecting: boolean
  _handle: { readStart(): number; reading: boolean }
  _peername: object
  emit(name: string, ...args: unknown[]): boolean
  push(chunk: Buffer | null, ...rest: unknown[]): boolean
}
type RawSocket = Omit<Socket, keyof SocketInternals> & SocketInternals

/**
 * Talks to the egress proxy on a socket that is about to connect to it, before its owner hears that it has connected. Until then what the
 * owner writes waits, as it does for any socket that is still connecting, and what comes in is for nobody but us.
 */
export const negotiate = (socket: Socket, target: ConnectTarget): void => {
  // The types of a socket keep back what is Node's own business.
  const held = socket as unknown as RawSocket
  const { emit, push } = held
  const tell = (name: string, ...args: unknown[]): boolean => Reflect.apply(emit, held, [name, ...args])
  let bytes = Buffer.alloc(0)
  let over = false
  const fail = (error: Error): void => {
    over = true
    held.destroy(error)
  }
  const succeed = ({ text }: SocksReply): void => {
    const family = `IPv${isIP(text)}`
    if (text !== '0.0.0.0') held._peername = { address: text, family, port: target.port }
    over = true
    held.connecting = false
    write(held, word)
    if (isIP(target.host) === 0) tell('lookup', null, text, isIP(text), target.host)
    tell('connect')
    tell('ready')
  }
  held.emit = (name, ...args) => {
    if (over || (name !== 'connect' && name !== 'ready')) return tell(name, ...args)
    if (name === 'connect') begin(held, target, fail)
    return true
  }
  held.push = (chunk, ...more) => {
    if (over) return Reflect.apply(push, held, [chunk, ...more])
    bytes = Buffer.concat([bytes, chunk ?? ''].map((part) => Buffer.from(part)))
    const read = readReplies(bytes)
    if (read === 'nonsense' || (read === 'more' && chunk === null)) fail(connectError('ECONNRESET', target))
    else if (read !== 'more' && !read.value.succeeded) fail(connectError(read.value.text, target))
    else if (read !== 'more') succeed(read.value)
    return true
  }
}

/** The socket stands: its owner's writes go on waiting, and ours does not. */
const begin = (held: RawSocket, target: ConnectTarget, fail: (error: Error) => void): void => {
  held.connecting = true
  // Node itself reads nothing while a socket is connecting.
  held._handle.reading = true
  held._handle.readStart()
  target.settle((error, host) => {
    if (held.destroyed) return
    const name = askedName(host)
    if (error !== null || name === null) return fail(error ?? connectError('ENOTFOUND', target))
    held.connecting = false
    write(held, requestBytes({ command: commands.connectOnWord, host: name, port: target.port }))
    held.connecting = true
  })
}

/** Past what the owner has written. */
const write = (held: RawSocket, bytes: Buffer): void => held._write(bytes, 'buffer' as BufferEncoding, ignore)

const ignore = (): void => undefined
