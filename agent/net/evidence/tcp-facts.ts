import type { Socket } from 'node:net'
import type { Libc } from '../ping/libc.ts'

/**
 * What the kernel knows about a connection (`struct tcp_info` of linux/tcp.h), which needs no privilege and lasts as
 * long as its socket does. Times in milliseconds; counts are of segments.
 */
export type TcpFacts = {
  state: string
  rttMs: number
  /** Until an unanswered segment is sent again. */
  retransmitAfterMs: number
  retransmitsInARow: number
  retransmitsInAll: number
  unacknowledged: number
  congestionWindow: number
  sinceLastReceivedMs: number
}

const states = [
  ...['', 'ESTABLISHED', 'SYN-SENT', 'SYN-RECEIVED', 'FIN-WAIT-1', 'FIN-WAIT-2', 'TIME-WAIT', 'CLOSED'],
  ...['CLOSE-WAIT', 'LAST-ACK', 'LISTEN', 'CLOSING'],
]

/** Reads the bytes of a `struct tcp_info`. */
const readTcpInfo = (info: Buffer): TcpFacts => ({
  state: states[info.readUInt8(0)] || 'unknown',
  retransmitsInARow: info.readUInt8(2),
  retransmitAfterMs: info.readUInt32LE(8) / 1000,
  unacknowledged: info.readUInt32LE(24),
  sinceLastReceivedMs: info.readUInt32LE(52),
  rttMs: info.readUInt32LE(68) / 1000,
  congestionWindow: info.readUInt32LE(80),
  retransmitsInAll: info.readUInt32LE(100),
})

/** Null when the socket is gone, or the system's calls cannot be reached. */
export type ReadTcpFacts = (socket: Socket) => Promise<TcpFacts | null>

export const createTcpFacts =
  (load: () => Promise<Libc>): ReadTcpFacts =>
  async (socket) => {
    const libc = await load().catch(() => null)
    // Node shows the descriptor in no other way.
    const { fd = -1 } = (socket as { _handle?: { fd?: number } | null })._handle ?? {}
    if (libc === null || fd < 0 || socket.destroyed) return null
    return readTcpInfo(libc.getOption(fd, { level: 6, name: 11, length: 104 }))
  }

/** As one sentence, for the log of a run. */
export const tcpSentence = (facts: TcpFacts): string =>
  facts.state === 'SYN-SENT'
    ? `The kernel says of the connection: ${facts.state}, ${facts.retransmitsInAll} retransmissions of its first segment, the next after ${facts.retransmitAfterMs} ms`
    : `The kernel says of the connection: ${facts.state}, round trip ${facts.rttMs} ms, ${facts.retransmitsInAll} retransmissions, ${facts.unacknowledged} segments without acknowledgement, window of ${facts.congestionWindow} segments, last data received ${facts.sinceLastReceivedMs} ms ago`
