import type { Family } from '../connect/lookup.ts'

/** An echo message (RFC 792, RFC 4443 section 4). `data` follows the eight bytes of the header. */
export type Echo = { type: number; code: number; id: number; sequence: number; data: Buffer }

const echoRequest: Record<Family, number> = { 4: 8, 6: 128 }
export const echoReply: Record<Family, number> = { 4: 0, 6: 129 }

/** Header and data of what we send, as `ping` does. */
export const packetSize = 64

const headerBytes = 8

/** An echo request whose data begins with `token`, which a reply must bring back. */
export const encodeEchoRequest = (
  family: Family,
  { id, sequence, token }: { id: number; sequence: number; token: Buffer },
): Buffer => {
  const packet = Buffer.alloc(packetSize)
  packet.writeUInt8(echoRequest[family], 0)
  packet.writeUInt16BE(id, 4)
  packet.writeUInt16BE(sequence, 6)
  for (let i = headerBytes; i < packetSize; i += 1) packet[i] = i
  token.copy(packet, headerBytes)
  // The kernel computes the one of ICMPv6, which covers addresses that only it knows.
  if (family === 4) packet.writeUInt16BE(checksum(packet), 2)
  return packet
}

/** Null for what is too short to be one. */
export const decodeEcho = (bytes: Buffer): Echo | null =>
  bytes.length < headerBytes
    ? null
    : {
        type: bytes.readUInt8(0),
        code: bytes.readUInt8(1),
        id: bytes.readUInt16BE(4),
        sequence: bytes.readUInt16BE(6),
        data: bytes.subarray(headerBytes),
      }

/** A raw IPv4 socket delivers the IP header too (RFC 791 section 3.1). */
export const withoutIpHeader = (bytes: Buffer): Buffer => bytes.subarray(((bytes[0] ?? 0) & 15) * 4)

/** RFC 1071, for an even number of bytes. */
export const checksum = (bytes: Buffer): number => {
  let sum = 0
  for (let i = 0; i + 1 < bytes.length; i += 2) sum += bytes.readUInt16BE(i)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  return ~sum & 0xffff
}

/** An ICMP error in words (RFC 792, RFC 1812, RFC 4443). */
export const errorWords = (family: Family, type: number, code: number): string =>
  errors[family][`${type}.${code}`] ?? errors[family][type] ?? `ICMP error ${type}, code ${code}`

const errors: Record<Family, Record<string, string>> = {
  4: {
    '3': 'destination unreachable',
    '3.0': 'network unreachable',
    '3.1': 'host unreachable',
    '3.2': 'protocol unreachable',
    '3.4': 'packet too big',
    '3.9': 'network administratively prohibited',
    '3.10': 'host administratively prohibited',
    '3.13': 'communication administratively prohibited',
    '5': 'redirect',
    '11': 'time to live exceeded',
    '12': 'malformed packet',
  },
  6: {
    '1': 'destination unreachable',
    '1.0': 'no route',
    '1.1': 'communication administratively prohibited',
    '1.3': 'address unreachable',
    '1.4': 'port unreachable',
    '1.5': 'source address refused by a policy',
    '1.6': 'route rejected',
    '2': 'packet too big',
    '3': 'hop limit exceeded',
    '4': 'malformed packet',
  },
}
