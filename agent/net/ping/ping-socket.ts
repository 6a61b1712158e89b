import { CannotRun } from '../../base/cannot-run.ts'
import { codeOf } from '../connect/failures.ts'
import type { Address, Family } from '../connect/lookup.ts'
import { readControl } from './control-messages.ts'
import { decodeEcho, type Echo, echoReply, withoutIpHeader } from './icmp-packet.ts'
import type { Libc } from './libc.ts'

/** `reply`: an echo reply, with the instant of its arrival. `error`: our packet `echo` was answered by an ICMP error. */
export type Arrival =
  | { kind: 'reply'; echo: Echo; at: number | null; hopLimit: number | null }
  | { kind: 'error'; echo: Echo; type: number; code: number; from: string | null }

/**
 * A socket for pings of one address. `kernelId`: the kernel chooses the id of the packets and delivers replies to it only.
 * `isStamped`: the kernel says when a reply arrived, however late somebody looks.
 * `send` returns when the packet left, in epoch milliseconds; it throws what the system says about the way there.
 * `arrivals` takes everything that has come since the last call, and never waits.
 */
export type PingSocket = {
  kernelId: boolean
  isStamped: boolean
  send(packet: Buffer): number
  arrivals(): Arrival[]
  close(): void
}

/** Throws CannotRun when this process may not ping, and the system's error when the address has no route. */
export type OpenPing = (address: Address) => Promise<PingSocket>

/** Loads the system's calls with the first ping, so that an agent without ICMP checks does not pay for them. */
export const createOpenPing = (load: () => Promise<Libc>): OpenPing => {
  let libc: Promise<Libc> | null = null
  return async (address) => {
    libc ??= load()
    return openPing(await libc, address)
  }
}

const inet: Record<Family, number> = { 4: 2, 6: 10 }
const protocol: Record<Family, number> = { 4: 1, 6: 58 }
const datagram = 2
const raw = 3

const openPing = (libc: Libc, { address, family }: Address): PingSocket => {
  const to = socketAddress(libc, address, family)
  const { fd, isRaw } = openSocket(libc, family)
  const isStamped = prepare(libc, fd, () => {
    for (const option of optionsOf(family, isRaw)) libc.setOption(fd, option)
    libc.connect(fd, to)
  })
  return {
    kernelId: !isRaw,
    isStamped,
    send: (packet) => {
      try {
        return sendNow(libc, fd, packet)
      } catch (error) {
        // Perhaps it was an earlier packet's: an ICMP error makes the next call fail once.
        if (!isRouteError(error)) throw error
        return sendNow(libc, fd, packet)
      }
    },
    arrivals: () => [
      ...drain(libc, fd, 'errors').flatMap(readError),
      ...drain(libc, fd, 'data').flatMap((message) => readReply(message, family, isRaw)),
    ],
    close: () => libc.close(fd),
  }
}

/** Whether arrivals are stamped. A socket that cannot be used is closed. */
const prepare = (libc: Libc, fd: number, connect: () => void): boolean => {
  try {
    const isStamped = askForStamps(libc, fd)
    connect()
    return isStamped
  } catch (error) {
    libc.close(fd)
    throw error
  }
}

/** Time stamps of arrival. False where the kernel does not know them, as emulated ones do not: who receives has to look at a clock. */
export const askForStamps = (libc: Libc, fd: number): boolean => {
  try {
    libc.setOption(fd, { level: 1, name: 35, value: int(1) })
    return true
  } catch (error) {
    if (error instanceof Error && codeOf(error) === 'ENOPROTOOPT') return false
    throw error
  }
}

const sendNow = (libc: Libc, fd: number, packet: Buffer): number => {
  const sentAt = libc.now()
  libc.send(fd, packet)
  return sentAt
}

/** Datagram sockets need the sysctl, raw ones the capability. Whether a range is open may change while the agent runs. */
const openSocket = (libc: Libc, family: Family): { fd: number; isRaw: boolean } => {
  const refused = (error: unknown): boolean =>
    error instanceof Error && ['EACCES', 'EPERM'].includes(codeOf(error))
  try {
    return { fd: libc.socket(inet[family], datagram, protocol[family]), isRaw: false }
  } catch (error) {
    if (!refused(error)) throw error
  }
  try {
    return { fd: libc.socket(inet[family], raw, protocol[family]), isRaw: true }
  } catch (error) {
    if (refused(error)) throw new CannotRun(notPermitted)
    throw error
  }
}

/** What would help an agent that may not ping. */
export const notPermitted =
  'This agent may not send pings: either open the sysctl net.ipv4.ping_group_range to its group ' +
  '(such as "0 2147483647"), or give its process the capability NET_RAW'

type Option = Parameters<Libc['setOption']>[1]

const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

/** Hop limits, a queue of ICMP errors; a raw socket sees echo replies only. */
const optionsOf = (family: Family, isRaw: boolean): Option[] => {
  if (family === 4) {
    const filter = { level: 255, name: 1, value: int(~(1 << echoReply[4])) }
    const own = [
      { level: 0, name: 12, value: int(1) },
      { level: 0, name: 11, value: int(1) },
    ]
    return [...own, ...(isRaw ? [filter] : [])]
  }
  const blocked = Buffer.alloc(32, 0xff)
  const word = Math.floor(echoReply[6] / 32) * 4
  blocked.writeUInt32LE(~(1 << (echoReply[6] % 32)) >>> 0, word)
  const own = [
    { level: 41, name: 51, value: int(1) },
    { level: 41, name: 25, value: int(1) },
  ]
  return [...own, ...(isRaw ? [{ level: 58, name: 1, value: blocked }] : [])]
}

/** `struct sockaddr_in` or `sockaddr_in6`, the latter with the interface that a zone (`fe80::1%eth0`) names. */
export const socketAddress = (libc: Libc, text: string, family: Family): Buffer => {
  const [plain = '', zone = ''] = text.split('%')
  const bytes = libc.addressBytes(inet[family], plain)
  if (bytes === null) throw new Error(`${text} is not an address of IPv${family}`)
  const to = Buffer.alloc(family === 4 ? 16 : 28)
  to.writeUInt16LE(inet[family], 0)
  bytes.copy(to, family === 4 ? 4 : 8)
  if (family === 6 && zone !== '')
    to.writeUInt32LE(/^\d+$/.test(zone) ? Number(zone) : libc.interfaceIndex(zone), 24)
  return to
}

/** More than one look takes: a target that floods us must not keep others waiting. */
const maxMessages = 256

/** What is there. An error that is pending on the socket is also in its queue, and read from there. */
const drain = (libc: Libc, fd: number, queue: 'data' | 'errors') => {
  const messages = []
  for (let refusals = 0; refusals < 8 && messages.length < maxMessages; ) {
    try {
      const message = libc.receive(fd, queue)
      if (message === null) break
      messages.push(message)
    } catch (error) {
      if (!isRouteError(error)) throw error
      refusals += 1
    }
  }
  return messages
}

/** What the system says when a packet cannot go where it should: data about the way to the target. */
export const isRouteError = (error: unknown): error is Error =>
  error instanceof Error && routeErrors.has(codeOf(error))

const routeErrors: ReadonlySet<string> = new Set([
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'ENONET',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EACCES',
  'EPERM',
  'EINVAL',
  'ECONNREFUSED',
  'EPROTO',
  'ENOPROTOOPT',
  'EOPNOTSUPP',
  'EMSGSIZE',
  'ETIMEDOUT',
])

const readReply = (
  { bytes, control }: { bytes: Buffer; control: Buffer },
  family: Family,
  isRaw: boolean,
): Arrival[] => {
  const echo = decodeEcho(isRaw && family === 4 ? withoutIpHeader(bytes) : bytes)
  if (echo === null || echo.type !== echoReply[family]) return []
  const { at, hopLimit } = readControl(control)
  return [{ kind: 'reply', echo, at, hopLimit }]
}

const readError = ({ bytes, control }: { bytes: Buffer; control: Buffer }): Arrival[] => {
  const echo = decodeEcho(bytes)
  const { error } = readControl(control)
  if (echo === null || error === null) return []
  return [{ kind: 'error', echo, ...error }]
}
