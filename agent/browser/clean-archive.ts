/** What a trace is kept as: without secrets, and without what makes it too large. Pure. */
import { scrubEntry } from './scrub-trace.ts'
import { listZip, readZip, writeZip, type ZipEntry } from './zip.ts'

/** Something of a trace that is not kept; `name`: of an attachment, as its test says it. */
export type Dropped = { name: string; bytes: number }

/** `packed`: of the whole archive. `bytes`: of what is in it. */
type Room = { packed: number; bytes: number }

/** Pictures of pages and files that tests attach; all else tells what happened. */
const isResource = ({ name }: { name: string }): boolean => name.startsWith('resources/')

/** @throws an Error with a sentence where it cannot be read, or has no room even without them. */
export const cleanArchive = (
  zip: Buffer,
  secrets: readonly string[],
  room: Room,
): { zip: Buffer; dropped: readonly Dropped[] } => {
  const listed = listZip(zip)
  const largestLast = listed.filter(isResource).toSorted((a, b) => a.bytes - b.bytes)
  const dropped = new Map<string, number>()
  /** Until so much is gone, or no more can go. */
  const drop = (excess: Room): void => {
    let { packed, bytes } = excess
    while (packed > 0 || bytes > 0) {
      const largest = largestLast.pop()
      if (largest === undefined) return
      dropped.set(largest.name, largest.bytes)
      packed -= largest.packed
      bytes -= largest.bytes
    }
  }
  const isKept = ({ name }: { name: string }): boolean => !dropped.has(name)
  drop({ packed: sumOf(listed, 'packed') - room.packed, bytes: sumOf(listed, 'bytes') - room.bytes })
  const entries = readZip(zip, room.bytes, isKept).map((entry) => scrubEntry(entry, secrets))
  let clean = writeZip(entries)
  // Packed anew it may have become larger.
  while (clean.length > room.packed && largestLast.length > 0) {
    drop({ packed: clean.length - room.packed, bytes: 0 })
    clean = writeZip(entries.filter(isKept))
  }
  if (clean.length > room.packed) throw new Error(`it is larger than ${room.packed / 1024 / 1024} MB`)
  const names = dropped.size === 0 ? new Map<string, string>() : attachmentsOf(entries)
  return {
    zip: clean,
    dropped: [...dropped].map(([name, bytes]) => ({ name: names.get(name) ?? 'a file of a page', bytes })),
  }
}

const sumOf = (entries: readonly Room[], key: keyof Room): number =>
  entries.reduce((sum, entry) => sum + entry[key], 0)

type Attached = { attachments?: { name?: unknown; sha1?: unknown }[] }

/** The names that tests gave, by the paths in the archive. */
const attachmentsOf = (entries: readonly ZipEntry[]): ReadonlyMap<string, string> =>
  new Map(
    entries
      .filter(({ name }) => name.endsWith('.trace'))
      .flatMap(({ bytes }) => bytes.toString().split('\n'))
      .filter((line) => line.includes('"attachments"'))
      .flatMap((line) => (JSON.parse(line) as Attached).attachments ?? [])
      .flatMap(({ name, sha1 }) =>
        typeof name === 'string' && typeof sha1 === 'string'
          ? [[`resources/${sha1}`, `the attachment ${JSON.stringify(name.slice(0, 100))}`] as const]
          : [],
      ),
  )
