/** Packets and capture files as tests want them, byte by byte. */
import { linkTypes } from '../../agent/net/evidence/capture/pcap.ts'

export type PacketOptions = {
  from: [address: string, port: number]
  to: [address: string, port: number]
  payload?: Buffer | string
  /** Of RFC 9293, section 3.1. */
  flags?: number
}

const ipv4 = (protocol: number, { from, to }: PacketOptions, content: Buffer): Buffer => {
  const header = Buffer.alloc(20)
  header[0] = 0x45
  header.writeUInt16BE(20 + content.length, 2)
  header[8] = 64
  header[9] = protocol
  header.set(from[0].split('.').map(Number), 12)
  header.set(to[0].split('.').map(Number), 16)
  return Buffer.concat([header, content])
}

const ipv6 = (protocol: number, content: Buffer): Buffer => {
  const header = Buffer.alloc(40)
  header[0] = 0x60
  header.writeUInt16BE(content.length, 4)
  header[6] = protocol
  header[7] = 64
  header[23] = 1
  header[39] = 1
  return Buffer.concat([header, content])
}

const segment = ({ from, to, payload = '', flags = 0 }: PacketOptions): Buffer => {
  const header = Buffer.alloc(32)
  header.writeUInt16BE(from[1], 0)
  header.writeUInt16BE(to[1], 2)
  header[12] = 0x80
  header[13] = flags
  return Buffer.concat([header, Buffer.from(payload)])
}

/** With 12 bytes of options, as Linux sends them. */
export const tcpPacket = (options: PacketOptions): Buffer => ipv4(6, options, segment(options))

/** From and to `::1`. */
export const tcp6Packet = (options: PacketOptions): Buffer => ipv6(6, segment(options))

export const udpPacket = (options: PacketOptions): Buffer => {
  const header = Buffer.alloc(8)
  header.writeUInt16BE(options.from[1], 0)
  header.writeUInt16BE(options.to[1], 2)
  return ipv4(17, options, Buffer.concat([header, Buffer.from(options.payload ?? '')]))
}

/** "Host unreachable", which quotes a packet as a whole. */
export const unreachable = (from: string, to: string, quoted: Buffer): Buffer =>
  ipv4(1, { from: [from, 0], to: [to, 0] }, Buffer.concat([Buffer.from([3, 1, 0, 0, 0, 0, 0, 0]), quoted]))

export const dnsQuestion = (name: string): Buffer => {
  const labels = name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`))
  const header = Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([header, ...labels, Buffer.from([0, 0, 1, 0, 1])])
}

export type Kind = keyof typeof linkTypes
export type FileOptions = { kind?: Kind; bigEndian?: boolean; nanoseconds?: boolean; snapLength?: number }

const linkHeader = (kind: Kind, packet: Buffer): Buffer => {
  const etherType = (packet[0] ?? 0) >> 4 === 4 ? 0x0800 : 0x86dd
  const header = Buffer.alloc({ raw: 0, ethernet: 14, cooked: 16, cooked2: 20 }[kind])
  const at = { raw: null, ethernet: 12, cooked: 14, cooked2: 0 }[kind]
  if (at !== null) header.writeUInt16BE(etherType, at)
  return header
}

/** A capture file as tcpdump writes it; instants in epoch milliseconds. */
export const captureFile = (packets: [at: number, packet: Buffer][], options: FileOptions = {}): Buffer => {
  const { kind = 'cooked2', bigEndian = false, nanoseconds = false, snapLength = 512 } = options
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4)
    if (bigEndian) bytes.writeUInt32BE(value)
    else bytes.writeUInt32LE(value)
    return bytes
  }
  const header = [nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4, 0x00040002, 0, 0, snapLength, linkTypes[kind]]
  const records = packets.flatMap(([at, packet]) => {
    const whole = Buffer.concat([linkHeader(kind, packet), packet])
    const kept = whole.subarray(0, snapLength)
    const seconds = Math.floor(at / 1000)
    const fraction = Math.round((at - seconds * 1000) * (nanoseconds ? 1e6 : 1e3))
    return [...[seconds, fraction, kept.length, whole.length].map(number), kept]
  })
  return Buffer.concat([...header.map(number), ...records])
}
