import { codeOf } from '../../connect/failures.ts'
import type { Family, PeerAddress } from '../../connect/lookup.ts'
import { readControl } from '../../ping/control-messages.ts'
import { encodeEchoRequest } from '../../ping/icmp-packet.ts'
import type { Libc } from '../../ping/libc.ts'
import { askForStamps, isRouteError, socketAddress } from '../../ping/ping-socket.ts'

/** What a probe is made of: a connection to the port, an echo request, or a datagram to a port that nobody uses. */
export type Method = 'TCP' | 'ICMP' | 'UDP'

/**
 * What came back. `reached`: the target itself has answered. `mark`: why the way ends there, in the signs of
 * traceroute(8): `!N` no network, `!H` no host, `!X` prohibited … `rttMs` from the kernel's clock where it tells.
 */
export type ProbeAnswer = { from: string | null; reached: boolean; mark: string | null; rttMs: number }

/** One packet that may cross `hopLimit` routers. Needs no privilege: the kernel tells a socket what became of it. */
export type Probe = { poll(): ProbeAnswer | null; close(): void }

type ProbeSocket = { libc: Libc; fd: number; family: Family; target: PeerAddress; sentAt: number }
type UnsentProbe = Omit<ProbeSocket, 'sentAt'>

const kinds: Record<Method, (family: Family) => [type: number, protocol: number]> = {
  TCP: () => [1, 0],
  ICMP: (family) => [2, family === 4 ? 1 : 58],
  UDP: () => [2, 0],
}

/** As in traceroute(8): nobody listens there, so the target says that the port is unreachable. */
const usualUnusedPort = 33_434

/** `unusedPort`: the first of those that datagrams are sent to. */
type ProbeOptions = { target: PeerAddress; hopLimit: number; unusedPort?: number | undefined }

/** Throws the system's error when this process may not send such probes. */
export const sendProbe = (
  libc: Libc,
  method: Method,
  { target, hopLimit, unusedPort = usualUnusedPort }: ProbeOptions,
): Probe => {
  const { address, family, port } = target
  const fd = libc.socket(family === 4 ? 2 : 10, ...kinds[method](family))
  const opened: UnsentProbe = { libc, fd, family, target }
  try {
    for (const option of optionsOf(family, hopLimit)) libc.setOption(fd, option)
    askForStamps(libc, fd)
    const to = socketAddress(libc, address, family)
    to.writeUInt16BE(
      method === 'UDP' ? Math.min(65_535, unusedPort + hopLimit) : method === 'TCP' ? port : 0,
      2,
    )
    const sentAt = libc.now()
    libc.connect(fd, to)
    if (method !== 'TCP') libc.send(fd, method === 'UDP' ? Buffer.alloc(32) : echo(family, hopLimit))
    const sent = { ...opened, sentAt }
    const answerOf = method === 'TCP' ? ofConnection : method === 'ICMP' ? ofEcho : () => null
    return { poll: () => quietly(() => ofError(sent) ?? answerOf(sent)), close: () => libc.close(fd) }
  } catch (error) {
    libc.close(fd)
    if (!isRouteError(error)) throw error
    // The way ends before it begins: this machine has no route, or one that forbids it.
    const answer = { from: null, reached: false, mark: `!${codeOf(error)}`, rttMs: 0 }
    return { poll: () => answer, close: () => undefined }
  }
}

/** An error that is pending on the socket is also in its queue of errors, and read from there. */
const quietly = (poll: () => ProbeAnswer | null): ProbeAnswer | null => {
  try {
    return poll()
  } catch (error) {
    if (isRouteError(error)) return null
    throw error
  }
}

const echo = (family: Family, hopLimit: number): Buffer =>
  encodeEchoRequest(family, { id: 0, sequence: hopLimit, token: Buffer.alloc(0) })

const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

/** The hop limit, a queue of ICMP errors, and no lingering: a connection is broken off. */
const optionsOf = (family: Family, hopLimit: number) => [
  { level: family === 4 ? 0 : 41, name: family === 4 ? 2 : 16, value: int(hopLimit) },
  { level: family === 4 ? 0 : 41, name: family === 4 ? 11 : 25, value: int(1) },
  { level: 1, name: 13, value: Buffer.concat([int(1), int(0)]) },
]

const ofError = ({ libc, fd, family, target, sentAt }: ProbeSocket): ProbeAnswer | null => {
  const message = libc.receive(fd, 'errors')
  if (message === null) return null
  const { at, error } = readControl(message.control)
  if (error === null) return null
  const { from, type, code } = error
  const isPort = family === 4 ? type === 3 && code === 3 : type === 1 && code === 4
  return {
    from,
    reached: isPort && from === target.address,
    mark: isPort ? null : markOf(family, type, code),
    rttMs: (at ?? libc.now()) - sentAt,
  }
}

/** Null when a router has seen the hop limit reach zero, which is what we ask for. */
const markOf = (family: Family, type: number, code: number): string | null => {
  if (type === (family === 4 ? 11 : 3)) return null
  const signs: Record<string, string> = family === 4 ? signsOf4 : signsOf6
  return signs[`${type}.${code}`] ?? `!<${type}.${code}>`
}

const signsOf4 = {
  '3.0': '!N',
  '3.1': '!H',
  '3.2': '!P',
  '3.4': '!F',
  '3.5': '!S',
  '3.9': '!X',
  '3.10': '!X',
  '3.13': '!X',
}
const signsOf6 = { '1.0': '!N', '1.1': '!X', '1.3': '!H', '1.5': '!X', '1.6': '!X', '2.0': '!F' }

/** States of a connection, as `struct tcp_info` has them in its first byte. */
const established = 1
const closed = 7
const tcpLevel = 6
const tcpInfo = 11
const rttAt = 68
const connectionRefused = 111

/** A connection that stands has come through, and so has one that the target refuses. */
const ofConnection = ({ libc, fd, target, sentAt }: ProbeSocket): ProbeAnswer | null => {
  const elapsedMs = libc.now() - sentAt
  const info = libc.getOption(fd, { level: tcpLevel, name: tcpInfo, length: 104 })
  const here = { from: target.address, reached: true, mark: null }
  if (info[0] === established) return { ...here, rttMs: info.readUInt32LE(rttAt) / 1000 }
  if (info[0] !== closed) return null
  const error = libc.getOption(fd, { level: 1, name: 4, length: 4 }).readInt32LE(0)
  return error === connectionRefused ? { ...here, rttMs: elapsedMs } : null
}

const ofEcho = ({ libc, fd, target, sentAt }: ProbeSocket): ProbeAnswer | null => {
  const message = libc.receive(fd, 'data')
  if (message === null) return null
  const rttMs = (readControl(message.control).at ?? libc.now()) - sentAt
  return { from: target.address, reached: true, mark: null, rttMs }
}
