import { linkTypes } from './pcap.ts'

/** Numbers of protocols in IP headers. */
export const protocols = { icmp: 1, tcp: 6, udp: 17, icmp6: 58 } as const

/**
 * Where the parts of a packet lie in its bytes. `ports`: those of TCP and UDP, 0 for others. `sourceAt` and `targetAt`
 * are where the addresses begin, of `addressBytes` each.
 */
export type Packet = {
  bytes: Buffer
  /** Of the IP header, which is where everything published begins. */
  ipAt: number
  protocol: number
  transportAt: number
  addressBytes: 4 | 16
  sourceAt: number
  targetAt: number
  sourcePort: number
  targetPort: number
}

/** Reads what can be read of a captured packet; null for what is not IP or cut off before its ports. */
export const readPacket = (bytes: Buffer, linkType: number): Packet | null => {
  const ipAt = ipOffset(bytes, linkType)
  return ipAt === null ? null : readIp(bytes, ipAt)
}

/** Where the IP header begins, by the kind of link alone. */
export const linkHeaderBytes = (linkType: number): number =>
  linkType === linkTypes.cooked2
    ? 20
    : linkType === linkTypes.cooked
      ? 16
      : linkType === linkTypes.ethernet
        ? 14
        : 0

const ipOffset = (bytes: Buffer, linkType: number): number | null => {
  if (linkType === linkTypes.raw) return 0
  if (linkType === linkTypes.cooked2) return isIp(bytes, 0) ? 20 : null
  if (linkType === linkTypes.cooked) return isIp(bytes, 14) ? 16 : null
  if (linkType === linkTypes.ethernet) return isIp(bytes, 12) ? 14 : null
  return null
}

const isIp = (bytes: Buffer, at: number): boolean => {
  if (bytes.length < at + 2) return false
  const etherType = bytes.readUInt16BE(at)
  return etherType === 0x0800 || etherType === 0x86dd
}

/** An IP packet at an offset, also one that an ICMP error quotes. */
export const readIp = (bytes: Buffer, ipAt: number): Packet | null => {
  const version = (bytes[ipAt] ?? 0) >> 4
  if (version === 4 && bytes.length >= ipAt + 20) {
    // Only the first fragment has ports.
    const isFirst = (bytes.readUInt16BE(ipAt + 6) & 0x1fff) === 0
    const transportAt = ipAt + ((bytes[ipAt] ?? 0) & 15) * 4
    const addresses = { addressBytes: 4, sourceAt: ipAt + 12, targetAt: ipAt + 16 } as const
    return isFirst
      ? withPorts({ bytes, ipAt, protocol: bytes[ipAt + 9] ?? 0, transportAt, ...addresses })
      : null
  }
  if (version !== 6 || bytes.length < ipAt + 40) return null
  const addresses = { addressBytes: 16, sourceAt: ipAt + 8, targetAt: ipAt + 24 } as const
  return withPorts({ bytes, ipAt, protocol: bytes[ipAt + 6] ?? 0, transportAt: ipAt + 40, ...addresses })
}

const withPorts = (packet: Omit<Packet, 'sourcePort' | 'targetPort'>): Packet | null => {
  const { bytes, protocol, transportAt } = packet
  if (bytes.length < transportAt + 8) return null
  const hasPorts = protocol === protocols.tcp || protocol === protocols.udp
  return {
    ...packet,
    sourcePort: hasPorts ? bytes.readUInt16BE(transportAt) : 0,
    targetPort: hasPorts ? bytes.readUInt16BE(transportAt + 2) : 0,
  }
}

/** The packet that an ICMP error is about, as far as it is quoted; null for other messages. */
export const quotedPacket = (packet: Packet): Packet | null => {
  const { bytes, protocol, transportAt } = packet
  const type = bytes[transportAt] ?? 0
  const isError =
    (protocol === protocols.icmp && [3, 11, 12].includes(type)) ||
    (protocol === protocols.icmp6 && type >= 1 && type <= 4)
  return isError ? readIp(bytes, transportAt + 8) : null
}
