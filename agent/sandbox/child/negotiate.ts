import { isIP, type Socket } from 'node:net'
import { commands, readReplies, requestBytes, type SocksReply, word } from '../../broker/socks.ts'
import { askedName, connectError } from './connect-error.ts'

export type Settled = (error: Error | null, host: string) => void

/** `settle` says which host the broker is asked for. */
export type Wanted = { host: string; port: number; settle(then: Settled): void }

/** What of a socket is Node's own business. */
type Inner = {
  connecting: boolean
  _handle: { readStart(): number; reading: boolean }
  _peername: object
  emit(name: string, ...args: unknown[]): boolean
  push(chunk: Buffer | null, ...rest: unknown[]): boolean
}
type Held = Omit<Socket, keyof Inner> & Inner

/**
 * Talks to the broker on a socket that is about to connect to it, before its owner hears that it has connected. Until then what the
 * owner writes waits, as it does for any socket that is still connecting, and what comes in is for nobody but us.
 */
export const negotiate = (socket: Socket, wanted: Wanted): void => {
  const held = socket as unknown as Held
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
    if (text !== '0.0.0.0') held._peername = { address: text, family, port: wanted.port }
    over = true
    held.connecting = false
    write(held, word)
    if (isIP(wanted.host) === 0) tell('lookup', null, text, isIP(text), wanted.host)
    tell('connect')
    tell('ready')
  }
  held.emit = (name, ...args) => {
    if (over || (name !== 'connect' && name !== 'ready')) return tell(name, ...args)
    if (name === 'connect') begin(held, wanted, fail)
    return true
  }
  held.push = (chunk, ...more) => {
    if (over) return Reflect.apply(push, held, [chunk, ...more])
    bytes = Buffer.concat([bytes, chunk ?? ''].map((part) => Buffer.from(part)))
    const read = readReplies(bytes)
    if (read === 'nonsense' || (read === 'more' && chunk === null)) fail(connectError('ECONNRESET', wanted))
    else if (read !== 'more' && !read.value.succeeded) fail(connectError(read.value.text, wanted))
    else if (read !== 'more') succeed(read.value)
    return true
  }
}

/** The socket stands: its owner's writes go on waiting, and ours does not. */
const begin = (held: Held, wanted: Wanted, fail: (error: Error) => void): void => {
  held.connecting = true
  // Node itself reads nothing while a socket is connecting.
  held._handle.reading = true
  held._handle.readStart()
  wanted.settle((error, host) => {
    if (held.destroyed) return
    const name = askedName(host)
    if (error !== null || name === null) return fail(error ?? connectError('ENOTFOUND', wanted))
    held.connecting = false
    write(held, requestBytes({ command: commands.connectOnWord, host: name, port: wanted.port }))
    held.connecting = true
  })
}

/** Past what the owner has written. */
const write = (held: Held, bytes: Buffer): void => held._write(bytes, 'buffer' as BufferEncoding, ignore)

const ignore = (): void => undefined
