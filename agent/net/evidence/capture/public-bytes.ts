import { type Packet, protocols, quotedPacket } from './packet.ts'

/**
 * How many of a packet's bytes may be published, counted from their start: all headers, DNS messages, and what a TLS
 * handshake says in clear. What an application has said never is, neither in clear nor encrypted: `secure` tells
 * whether it would be inside TLS records.
 */
export const publicEnd = (packet: Packet, secure: boolean): number => {
  const { bytes, protocol, transportAt } = packet
  if (protocol === protocols.tcp) {
    const payloadAt = transportAt + tcpHeaderBytes(packet)
    return Math.min(bytes.length, secure ? handshakeEnd(bytes, payloadAt) : payloadAt)
  }
  const quoted = quotedPacket(packet)
  if (quoted === null) return bytes.length
  // A router may quote much of the packet: its headers say enough.
  return Math.min(bytes.length, quoted.transportAt + 8)
}

const tcpHeaderBytes = ({ bytes, transportAt }: Packet): number =>
  Math.max(20, ((bytes[transportAt + 12] ?? 0x50) >> 4) * 4)

/** Content types of TLS records (RFC 8446 section 5.1): change_cipher_spec, alert, handshake. 23 is application data. */
const handshakeTypes: ReadonlySet<number> = new Set([20, 21, 22])
const recordHeaderBytes = 5

/**
 * Where the leading records of a handshake end. In TLS 1.3 everything after the server's hello is called application
 * data; a segment that begins in the middle of a record is not kept.
 */
const handshakeEnd = (bytes: Buffer, payloadAt: number): number => {
  let at = payloadAt
  while (at + recordHeaderBytes <= bytes.length) {
    const isRecord = handshakeTypes.has(bytes[at] ?? 0) && bytes[at + 1] === 3 && (bytes[at + 2] ?? 9) <= 4
    if (!isRecord) break
    at += recordHeaderBytes + bytes.readUInt16BE(at + 3)
  }
  return at
}
