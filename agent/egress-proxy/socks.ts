/**
 * The messages of SOCKS5 (RFC 1928), with Tor's command to resolve a name and two of our own. `question` asks for records: `port` is
 * the number of their type, and after the reply comes a `DnsReply` as JSON. `connectOnWord` connects, but nothing of the target comes
 * before the client has answered the reply with a byte: who reads on after the reply may be somebody else, who must not miss a byte.
 * Pure, and on both sides of the connection.
 */
import { isIPv4, isIPv6, SocketAddress } from 'node:net'

export const commands = { connect: 1, resolve: 0xf0, question: 0xf2, connectOnWord: 0xf3 } as const

/** As IANA numbers them. */
export const questionTypes = {
  ...{ A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33, HTTPS: 65, CAA: 257 },
} as const

/** `code`: the name server's, or of the failure to ask one. `data` is one line, as in zone files. */
export type DnsReply = { code: string; records: { data: string; ttl: number }[] }

/** What a client wants. In a question for a name's addresses `port` is the family: 4, 6, or 0 for both. */
export type SocksRequest = { command: number; host: string; port: number }

/** What could be read of the first bytes: a message and how long it is, or whether more is needed or it is none. */
export type ParseResult<T> = { value: T; length: number } | 'more' | 'nonsense'

/** Whether a client takes a connection without telling who it is. */
export const readGreeting = (bytes: Buffer): ParseResult<boolean> => {
  const count = bytes[1]
  if (count === undefined || bytes.length < 2 + count) return 'more'
  if (bytes[0] !== 5) return 'nonsense'
  return { value: bytes.subarray(2, 2 + count).includes(0), length: 2 + count }
}

export const readRequest = (bytes: Buffer): ParseResult<SocksRequest> => {
  if (bytes.length < 5) return 'more'
  const [version, command = 0, , type, first = 0] = bytes
  const size = type === 1 ? 4 : type === 4 ? 16 : type === 3 ? 1 + first : null
  if (version !== 5 || size === null) return 'nonsense'
  const length = 4 + size + 2
  if (bytes.length < length) return 'more'
  const host = hostOf(bytes.subarray(4, 4 + size), type)
  if (host === '' || host.includes('\0')) return 'nonsense'
  return { value: { command, host, port: bytes.readUInt16BE(4 + size) }, length }
}

const hostOf = (bytes: Buffer, type: number | undefined): string => {
  if (type === 3) return bytes.subarray(1).toString('latin1')
  if (type === 1) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16))
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address
}

/** Without a way to tell who it is, we let it in; or not. */
export const greetingReply = (accepted: boolean): Buffer => Buffer.from([5, accepted ? 0 : 0xff])

const unspecified = '0.0.0.0'

/** `bound` is the address that was reached or found, of which a location's proxy tells nothing. */
export const successReply = (bound: string | null, port: number): Buffer =>
  reply(0, addressBytes(bound ?? unspecified), port)

/** The reply of a failure has nothing to say of an address, so it has the code of Node and, if it is known, the address. */
export const failureReply = (code: string, address: string | null): Buffer => {
  const text = Buffer.from([code, ...(address === null ? [] : [address])].join(' ').slice(0, 255), 'latin1')
  return reply(replyCodes[code] ?? 1, [3, text.length, ...text], 0)
}

export const unknownCommand: Buffer = Buffer.from([5, 7, 0, 1, 0, 0, 0, 0, 0, 0])

const reply = (code: number, address: readonly number[], port: number): Buffer =>
  Buffer.from([5, code, 0, ...address, port >> 8, port & 255])

const replyCodes: Record<string, number> = {
  EACCES: 2,
  ENETUNREACH: 3,
  ENOTFOUND: 4,
  EHOSTUNREACH: 4,
  ECONNREFUSED: 5,
  ETIMEDOUT: 6,
}

/** A client's greeting and what it wants, in one go: on the loopback there is nothing to agree on. */
export const requestBytes = ({ command, host, port }: SocksRequest): Buffer =>
  Buffer.from([5, 1, 0, 5, command, 0, ...hostBytes(host), port >> 8, port & 255])

const hostBytes = (host: string): number[] => {
  const name = Buffer.from(host, 'latin1')
  return isIPv4(host) || isIPv6(host) ? addressBytes(host) : [3, name.length, ...name]
}

/** `text`: the address, or after a failure its code and perhaps the address. */
export type SocksReply = { succeeded: boolean; text: string }

export const readReply = (bytes: Buffer): ParseResult<SocksReply> => {
  const read = readRequest(bytes)
  if (typeof read === 'string') return read
  return { value: { succeeded: read.value.command === 0, text: read.value.host }, length: read.length }
}

export const word: Buffer = Buffer.from([0])

export const readWord = (bytes: Buffer): ParseResult<number> =>
  bytes[0] === word[0] ? { value: 0, length: 1 } : 'nonsense'

/** The replies to a greeting and to what was wanted. */
export const readReplies = (bytes: Buffer): ParseResult<SocksReply> => {
  if (bytes.length < 2) return 'more'
  if (bytes[0] !== 5 || bytes[1] !== 0) return 'nonsense'
  const read = readReply(bytes.subarray(2))
  return typeof read === 'string' ? read : { value: read.value, length: read.length + 2 }
}

/** The type of an address and its bytes. */
const addressBytes = (address: string): number[] => {
  if (isIPv4(address)) return [1, ...address.split('.').map(Number)]
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return [1, 0, 0, 0, 0]
  // WHATWG URL writes IPv6 in one form, also when its end is dotted IPv4.
  const [head = '', tail] = new URL(`http://[${plain}]/`).hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
  return [
    4,
    ...groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
  ]
}
