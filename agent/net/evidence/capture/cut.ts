import type { Flow } from '../../connect/connection.ts'
import { addressBytes } from '../address-bytes.ts'
import { linkHeaderBytes, type Packet, protocols, quotedPacket, readIp, readPacket } from './packet.ts'
import { type CapturedPacket, type Interest, scanPcap, writePcap } from './pcap.ts'
import { publicEnd } from './public-bytes.ts'

/**
 * What a capture is asked for: connections since an instant (epoch milliseconds), and the questions for a name between it
 * and another.
 */
export type CutRequest = { flows: readonly Flow[]; name: string | null; since: number; until: number }

/** A capture file. `beginsWithSyn`: the first packet of each connection in it is the one that opens it. */
export type CaptureFile = { file: Buffer; beginsWithSyn: boolean }

/**
 * Takes the packets of several attempts out of capture files in one pass. `read` takes one file and stops after every few
 * thousand packets, so that its caller can let others have their turn; `results` are capture files in the order of the
 * attempts, null where there was no packet. What applications have said is left out (public-bytes.ts).
 */
type Cutter = { read(file: Buffer): Generator<undefined>; results(): (CaptureFile | null)[] }

/** Of one attempt; of more, the first and the last half are kept. */
export const maxPackets = 500

/** `dnsPorts`: those of name servers. */
export const createCutter = (wanted: readonly CutRequest[], dnsPorts: ReadonlySet<number>): Cutter => {
  const found = wanted.map((): CapturedPacket[] => [])
  const match = createMatch(wanted, dnsPorts)
  const mayMatch = createInterest(wanted)
  const take = (packet: Packet, at: number, originalLength: number): void => {
    for (const { index, secure } of match(packet, at))
      found[index]?.push({
        at,
        bytes: Buffer.from(packet.bytes.subarray(packet.ipAt, publicEnd(packet, secure))),
        originalLength: originalLength - packet.ipAt,
      })
  }
  return {
    *read(file) {
      for (const captured of scanPcap(file, mayMatch)) {
        if (captured === null) {
          yield
          continue
        }
        const packet = readPacket(captured.bytes, captured.linkType)
        if (packet !== null) take(packet, captured.at, captured.originalLength)
      }
    },
    results: () => found.map((packets) => (packets.length === 0 ? null : foundIn(packets))),
  }
}

const foundIn = (packets: readonly CapturedPacket[]): CaptureFile => {
  const sorted = packets.toSorted((a, b) => a.at - b.at)
  return { file: writePcap(firstAndLast(sorted)), beginsWithSyn: beginsWithSyn(sorted) }
}

/**
 * Most packets of the ring are somebody else's: a look at a few of their bytes is enough to pass over them. Everything
 * but TCP is read properly.
 */
const createInterest = (wanted: readonly CutRequest[]): Interest => {
  const ports = new Uint8Array(0x10000)
  for (const { flows } of wanted) for (const { localPort } of flows) ports[localPort] = 1
  return (file, { start, end, linkType }) => {
    const ipAt = start + linkHeaderBytes(linkType)
    const first = file[ipAt] ?? 0
    const isIpv4 = first >> 4 === 4
    if (file[ipAt + (isIpv4 ? 9 : 6)] !== protocols.tcp) return true
    const portsAt = ipAt + (isIpv4 ? (first & 15) * 4 : 40)
    if (portsAt + 4 > end) return false
    const source = ((file[portsAt] ?? 0) << 8) | (file[portsAt + 1] ?? 0)
    const target = ((file[portsAt + 2] ?? 0) << 8) | (file[portsAt + 3] ?? 0)
    return ports[source] === 1 || ports[target] === 1
  }
}

const firstAndLast = (packets: readonly CapturedPacket[]): readonly CapturedPacket[] =>
  packets.length <= maxPackets
    ? packets
    : [...packets.slice(0, maxPackets / 2), ...packets.slice(-maxPackets / 2)]

/** Of the flags of RFC 9293, section 3.1. */
const synAndAck = 0x12
const syn = 0x02

const beginsWithSyn = (packets: readonly CapturedPacket[]): boolean => {
  const connections = new Set<string>()
  for (const { bytes } of packets) {
    const packet = readIp(bytes, 0)
    if (packet?.protocol !== protocols.tcp) continue
    const connection = [packet.sourcePort, packet.targetPort].toSorted().join()
    if (connections.has(connection)) continue
    connections.add(connection)
    if (((bytes[packet.transportAt + 13] ?? 0) & synAndAck) !== syn) return false
  }
  return true
}

type PacketMatch = { index: number; secure: boolean; since: number; until: number }
type Peer = PacketMatch & { address: Buffer; port: number }

/** The kernel's stamps and our own readings of the clock may differ by the granularity of either. */
const clockSlackMs = 5

const createMatch = (
  wanted: readonly CutRequest[],
  dnsPorts: ReadonlySet<number>,
): ((packet: Packet, at: number) => PacketMatch[]) => {
  const peers = new Map<number, Peer[]>()
  const questions = new Map<string, PacketMatch[]>()
  for (const [index, { flows, name, ...period }] of wanted.entries()) {
    const since = period.since - clockSlackMs
    const until = period.until + clockSlackMs
    for (const { localPort, remoteAddress, remotePort, secure } of flows) {
      const address = addressBytes(remoteAddress)
      if (address === null) continue
      // A connection is closed after its attempt has ended.
      const peer = { index, secure, since, until: Number.POSITIVE_INFINITY, address, port: remotePort }
      peers.set(localPort, [...(peers.get(localPort) ?? []), peer])
    }
    const key = name?.toLowerCase().replace(/\.$/, '')
    if (key !== undefined)
      questions.set(key, [...(questions.get(key) ?? []), { index, since, until, secure: false }])
  }
  const ofConnection = (packet: Packet): Peer[] => [
    ...(peers.get(packet.sourcePort) ?? []).filter((peer) => isTo(peer, packet)),
    ...(peers.get(packet.targetPort) ?? []).filter((peer) => isFrom(peer, packet)),
  ]
  const isDns = ({ sourcePort, targetPort }: Packet): boolean =>
    dnsPorts.has(sourcePort) || dnsPorts.has(targetPort)
  const candidates = (packet: Packet): PacketMatch[] => {
    if (packet.protocol === protocols.tcp) return ofConnection(packet)
    if (packet.protocol === protocols.udp)
      return isDns(packet) ? askedNames(packet).flatMap((asked) => questions.get(asked) ?? []) : []
    const quoted = quotedPacket(packet)
    return quoted?.protocol === protocols.tcp ? ofConnection(quoted) : []
  }
  return (packet, at) => candidates(packet).filter(({ since, until }) => at >= since && at <= until)
}

const isTo = ({ port, address }: Peer, packet: Packet): boolean =>
  packet.targetPort === port && isAddress(address, packet, packet.targetAt)

const isFrom = ({ port, address }: Peer, packet: Packet): boolean =>
  packet.sourcePort === port && isAddress(address, packet, packet.sourceAt)

const isAddress = (address: Buffer, packet: Packet, at: number): boolean =>
  address.length === packet.addressBytes &&
  address.equals(packet.bytes.subarray(at, at + packet.addressBytes))

/**
 * The names that a DNS message (RFC 1035 section 4.1.2) may ask for: the one it says, and what is left of that without
 * the search domains that a resolver may have appended.
 */
const askedNames = ({ bytes, transportAt }: Packet): string[] => {
  const names: string[] = []
  let name = ''
  for (let at = transportAt + 8 + 12; ; ) {
    const length = bytes[at] ?? 0
    if (length === 0 || length > 63 || at + 1 + length > bytes.length) return names
    const label = bytes.toString('latin1', at + 1, at + 1 + length).toLowerCase()
    name = name === '' ? label : `${name}.${label}`
    names.push(name)
    at += 1 + length
  }
}
