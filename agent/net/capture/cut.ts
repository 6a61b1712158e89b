import { addressBytes } from '../address-bytes.ts'
import { linkHeaderBytes, type Packet, protocols, quotedPacket, readPacket } from './packet.ts'
import { type CapturedPacket, type Interest, scanPcap, writePcap } from './pcap.ts'
import { publicEnd } from './public-bytes.ts'

/** A TCP connection as this machine knows it. `secure`: what is said in it is inside TLS. */
export type Flow = { localPort: number; remoteAddress: string; remotePort: number; secure: boolean }

/** What a capture is asked for: connections, and the questions for a name, since an instant in epoch milliseconds. */
export type Wanted = { flows: readonly Flow[]; name: string | null; since: number }

/**
 * Takes the packets of several attempts out of capture files in one pass. `read` takes one file and stops after every few
 * thousand packets, so that its caller can let others have their turn; `results` are capture files in the order of the
 * attempts, null where there was no packet. What applications have said is left out (public-bytes.ts).
 */
export type Cutter = { read(file: Buffer): Generator<undefined>; results(): (Buffer | null)[] }

/** Of one attempt; of more, the first and the last half are kept. */
export const maxPackets = 500

export const createCutter = (wanted: readonly Wanted[]): Cutter => {
  const found = wanted.map((): CapturedPacket[] => [])
  const match = createMatch(wanted)
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
    results: () => found.map((packets) => (packets.length === 0 ? null : writePcap(inOrder(packets)))),
  }
}

/**
 * Most packets of the ring are somebody else's: a look at a few of their bytes is enough to pass over them. Everything
 * but TCP is read properly.
 */
const createInterest = (wanted: readonly Wanted[]): Interest => {
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

const inOrder = (packets: readonly CapturedPacket[]): CapturedPacket[] => {
  const sorted = packets.toSorted((a, b) => a.at - b.at)
  if (sorted.length <= maxPackets) return sorted
  return [...sorted.slice(0, maxPackets / 2), ...sorted.slice(-maxPackets / 2)]
}

type Match = { index: number; secure: boolean }
type Peer = Match & { since: number; address: Buffer; port: number }
type Question = Match & { since: number }

const dnsPort = 53
/** The kernel's stamps and our own readings of the clock may differ by the granularity of either. */
const clockSlackMs = 5

const createMatch = (wanted: readonly Wanted[]): ((packet: Packet, at: number) => Match[]) => {
  const peers = new Map<number, Peer[]>()
  const questions = new Map<string, Question[]>()
  for (const [index, { flows, name, since: started }] of wanted.entries()) {
    const since = started - clockSlackMs
    for (const { localPort, remoteAddress, remotePort, secure } of flows) {
      const address = addressBytes(remoteAddress)
      if (address === null) continue
      const peer = { index, secure, since, address, port: remotePort }
      peers.set(localPort, [...(peers.get(localPort) ?? []), peer])
    }
    const key = name?.toLowerCase().replace(/\.$/, '')
    if (key !== undefined)
      questions.set(key, [...(questions.get(key) ?? []), { index, since, secure: false }])
  }
  const ofConnection = (packet: Packet): Peer[] => [
    ...(peers.get(packet.sourcePort) ?? []).filter((peer) => isTo(peer, packet)),
    ...(peers.get(packet.targetPort) ?? []).filter((peer) => isFrom(peer, packet)),
  ]
  const candidates = (packet: Packet): (Peer | Question)[] => {
    if (packet.protocol === protocols.tcp) return ofConnection(packet)
    if (packet.protocol === protocols.udp)
      return isDns(packet) ? askedNames(packet).flatMap((asked) => questions.get(asked) ?? []) : []
    const quoted = quotedPacket(packet)
    return quoted?.protocol === protocols.tcp ? ofConnection(quoted) : []
  }
  return (packet, at) => candidates(packet).filter(({ since }) => at >= since)
}

const isTo = ({ port, address }: Peer, packet: Packet): boolean =>
  packet.targetPort === port && isAddress(address, packet, packet.targetAt)

const isFrom = ({ port, address }: Peer, packet: Packet): boolean =>
  packet.sourcePort === port && isAddress(address, packet, packet.sourceAt)

const isAddress = (address: Buffer, packet: Packet, at: number): boolean =>
  address.length === packet.addressBytes &&
  address.equals(packet.bytes.subarray(at, at + packet.addressBytes))

const isDns = ({ sourcePort, targetPort }: Packet): boolean =>
  sourcePort === dnsPort || targetPort === dnsPort

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
