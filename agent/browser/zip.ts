/** Archives of traces (APPNOTE.TXT): read by their central directory, written anew. Not more than traces need: no ZIP64, no encryption. */
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'

export type ZipEntry = { name: string; bytes: Buffer }

const endOfDirectory = 0x06054b50
const directoryEntry = 0x02014b50
const localEntry = 0x04034b50
const stored = 0
const deflated = 8
const endBytes = 22
const utf8Name = 1 << 11
/** 1980-01-01, the first day that archives know. */
const firstDay = 0x21

/** What it says of an entry. `at`: where. */
type Listed = { name: string; packed: number; bytes: number; at: number }

/** @throws an Error with a sentence when it is none that can be read. */
export const listZip = (zip: Buffer): Listed[] => {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  if (end === -1 || zip.length < end + endBytes || zip.readUInt32LE(end) !== endOfDirectory)
    throw new Error('it is not a whole archive')
  const entries: Listed[] = []
  let at = zip.readUInt32LE(end + 16)
  for (let count = zip.readUInt16LE(end + 10); count > 0; count -= 1) {
    if (zip.readUInt32LE(at) !== directoryEntry) throw new Error('its directory is damaged')
    const nameLength = zip.readUInt16LE(at + 28)
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    entries.push({ name, packed: zip.readUInt32LE(at + 20), bytes: zip.readUInt32LE(at + 24), at })
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return entries
}

/** @throws an Error with a sentence when it is none that can be read, or what is wanted of it is more than `maxBytes`. */
export const readZip = (
  zip: Buffer,
  maxBytes: number,
  isWanted: (entry: Listed) => boolean = () => true,
): ZipEntry[] => {
  let room = maxBytes
  return listZip(zip)
    .filter(isWanted)
    .map(({ name, at }) => {
      const bytes = contentOf(zip, at, room)
      room -= bytes.length
      return { name, bytes }
    })
}

const contentOf = (zip: Buffer, at: number, room: number): Buffer => {
  const local = zip.readUInt32LE(at + 42)
  if (zip.readUInt32LE(local) !== localEntry) throw new Error('an entry of it is damaged')
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
  const content = zip.subarray(start, start + zip.readUInt32LE(at + 20))
  const method = zip.readUInt16LE(at + 10)
  if (method !== stored && method !== deflated) throw new Error('it is packed in a way that is not known')
  const bytes = method === stored ? content : inflateRawSync(content, { maxOutputLength: Math.max(1, room) })
  if (bytes.length > room) throw new Error('it holds too much')
  return bytes
}

export const writeZip = (entries: readonly ZipEntry[]): Buffer => {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, bytes } of entries) {
    const nameBytes = Buffer.from(name)
    const packed = deflateRawSync(bytes, { level: 1 })
    const isSmaller = packed.length < bytes.length
    const content = isSmaller ? packed : bytes
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(utf8Name, 2)
    common.writeUInt16LE(isSmaller ? deflated : stored, 4)
    common.writeUInt16LE(firstDay, 8)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(content.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(nameBytes.length, 22)
    parts.push(word(localEntry), common, nameBytes, content)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(word(directoryEntry), Buffer.from([20, 0]), common, rest, nameBytes)
    offset += 30 + nameBytes.length + content.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(endBytes)
  end.writeUInt32LE(endOfDirectory, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(index.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, index, end])
}

const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
