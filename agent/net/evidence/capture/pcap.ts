/** One packet of a capture file: when it was seen (epoch milliseconds), what was kept of it, and how long it was. */
export type CapturedPacket = { at: number; bytes: Buffer; originalLength: number }

/** How packets in a capture file begin (https://www.tcpdump.org/linktypes.html). */
export const linkTypes = { ethernet: 1, raw: 101, cooked: 113, cooked2: 276 } as const

const headerBytes = 24
const recordBytes = 16
const microseconds = 0xa1b2c3d4
const nanoseconds = 0xa1b23c4d
/** No packet that we ask for is longer: what says so is not the header of a record. */
const longestPacket = 262_144

type Layout = { view: DataView; littleEndian: boolean; ticksPerMs: number; linkType: number }

const layoutOf = (file: Buffer): Layout | null => {
  if (file.length < headerBytes) return null
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  for (const littleEndian of [true, false]) {
    const magic = view.getUint32(0, littleEndian)
    const ticksPerMs = magic === microseconds ? 1000 : 1_000_000
    if (magic === microseconds || magic === nanoseconds)
      return { view, littleEndian, ticksPerMs, linkType: view.getUint32(20, littleEndian) & 0xffff }
  }
  return null
}

/** With how it begins, one of `linkTypes`. */
type ReadPacket = CapturedPacket & { linkType: number }

/** Whether a packet is worth being read; it lies in the file from `start` to before `end`. */
export type Interest = (file: Buffer, range: { start: number; end: number; linkType: number }) => boolean

const packetsPerTurn = 5_000

/**
 * The interesting packets of a capture file (draft-ietf-opsawg-pcap), in its order, and null after every few thousand
 * that were passed over: a time to let others have their turn. The file may still be written: it ends where its last
 * whole record ends. One that is none has no packets.
 */
export function* scanPcap(file: Buffer, isInteresting: Interest): Generator<ReadPacket | null> {
  const layout = layoutOf(file)
  if (layout === null) return
  const { view, littleEndian, linkType } = layout
  const range = { start: 0, end: headerBytes, linkType }
  for (let count = 1; range.end + recordBytes <= file.length; count += 1) {
    const at = range.end
    const kept = view.getUint32(at + 8, littleEndian)
    range.start = at + recordBytes
    range.end = range.start + kept
    if (kept > longestPacket || range.end > file.length) return
    if (count % packetsPerTurn === 0) yield null
    if (!isInteresting(file, range)) continue
    yield {
      at: instantAt(layout, at),
      bytes: file.subarray(range.start, range.end),
      originalLength: view.getUint32(at + 12, littleEndian),
      linkType,
    }
  }
}

/** When the first packet of a capture file was seen (epoch milliseconds); null if it has none. */
export const firstPacketAt = (file: Buffer): number | null => {
  const layout = layoutOf(file)
  return layout === null || file.length < headerBytes + recordBytes ? null : instantAt(layout, headerBytes)
}

/** The instant that a record begins with, in epoch milliseconds. */
const instantAt = ({ view, littleEndian, ticksPerMs }: Layout, at: number): number =>
  view.getUint32(at, littleEndian) * 1000 + view.getUint32(at + 4, littleEndian) / ticksPerMs

/** All of them. */
export function* readPcap(file: Buffer): Generator<ReadPacket> {
  for (const packet of scanPcap(file, () => true)) if (packet !== null) yield packet
}

/** A capture file of packets that begin with their IP header. */
export const writePcap = (packets: readonly CapturedPacket[]): Buffer => {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(microseconds, 0)
  header.writeUInt16LE(2, 4)
  header.writeUInt16LE(4, 6)
  header.writeUInt32LE(longestPacket, 16)
  header.writeUInt32LE(linkTypes.raw, 20)
  return Buffer.concat([header, ...packets.flatMap((packet) => [recordOf(packet), packet.bytes])])
}

const recordOf = ({ at, bytes, originalLength }: CapturedPacket): Buffer => {
  const record = Buffer.alloc(recordBytes)
  const seconds = Math.floor(at / 1000)
  record.writeUInt32LE(seconds, 0)
  record.writeUInt32LE(Math.min(999_999, Math.round((at - seconds * 1000) * 1000)), 4)
  record.writeUInt32LE(bytes.length, 8)
  record.writeUInt32LE(originalLength, 12)
  return record
}
