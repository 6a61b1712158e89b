/**
 * Files in an object store. A file is a row of objects, each of `pieceBytes` but the last: `ab/abcd…/00000`, `…/00001`. What a
 * listing shows is all there is to know of a file, so that any control plane can go on where another one was ended, at any byte:
 * the last object is put again, longer. There are no multipart uploads, whose parts nobody sees and somebody has to abort.
 */
import { Readable } from 'node:stream'
import type { Clock } from '../../../../protocol/clock.ts'
import { createSemaphore, type Semaphore } from '../../../../protocol/semaphore.ts'
import { ArtifactError } from './artifact-error.ts'
import type { Bucket } from './bucket.ts'
import { gatherPieces } from './gather-pieces.ts'
import { readPieces } from './read-pieces.ts'
import type { ArtifactStore } from './store.ts'
import type { Pauses } from './with-pauses.ts'

/** What is stored is laid out by it: it never changes. */
export const pieceBytes = 4 * 1024 * 1024

/** Of all uploads and of all downloads of a control plane. */
const maxInMemory = 32 * 1024 * 1024
const firstMs = 1000

const folderOf = (key: string): string => `${key.slice(0, 2)}/${key}/`
const nameOf = (key: string, index: number): string => `${folderOf(key)}${String(index).padStart(5, '0')}`

export const createBucketStore = (bucket: Bucket, sleep: Clock['sleep']): ArtifactStore => {
  const incoming = createSemaphore({ total: maxInMemory })
  const outgoing = createSemaphore({ total: maxInMemory })
  return {
    size: (key) => sizeOf(bucket, key),
    write: (key, offset, bytes) =>
      write({ bucket, memory: incoming, pauses: { firstMs, sleep } }, { key, offset, bytes }),
    read: async (key, range) => {
      const get = (index: number, from: { start: number; end: number }) =>
        bucket.get(nameOf(key, index), from)
      if (range.end > range.start) return readPieces({ get, pieceBytes, memory: outgoing }, range)
      return (await bucket.list(folderOf(key))).length === 0 ? null : Readable.from([])
    },
    remove: async (key) => {
      for (const { name } of await bucket.list(folderOf(key))) await bucket.remove(name)
    },
    tryOut: () => tryOut(bucket),
  }
}

/** Up to the first piece that is not full: what lies behind it was left by an upload that went another way. */
const sizeOf = async (bucket: Bucket, key: string): Promise<number> => {
  const sizes = new Map((await bucket.list(folderOf(key))).map(({ name, size }) => [name, size]))
  let index = 0
  while (sizes.get(nameOf(key, index)) === pieceBytes) index += 1
  return index * pieceBytes + (sizes.get(nameOf(key, index)) ?? 0)
}

type Writer = { bucket: Bucket; memory: Semaphore; pauses: Pauses }
type Upload = { key: string; offset: number; bytes: AsyncIterable<Uint8Array> }

const write = async ({ bucket, memory, pauses }: Writer, { key, offset, bytes }: Upload): Promise<number> => {
  let index = Math.floor(offset / pieceBytes)
  const before = offset % pieceBytes
  const first =
    before === 0 ? new Uint8Array() : await bucket.get(nameOf(key, index), { start: 0, end: before })
  if (first?.length !== before) throw new ArtifactError('away', 'an object is shorter than it was')
  let end = offset
  for await (const piece of gatherPieces(bytes, { size: pieceBytes, first, memory, pauses })) {
    await bucket.put(nameOf(key, index), piece)
    end = index * pieceBytes + piece.length
    if (piece.length === pieceBytes) index += 1
  }
  // An empty file is there, too.
  if (end === 0) await bucket.put(nameOf(key, 0), first)
  return end
}

/** What the keys have to allow, tried with an object that belongs to no result. */
const tryOut = async (bucket: Bucket): Promise<void> => {
  const name = 'watchpost-start'
  await bucket.put(name, new Uint8Array())
  await bucket.list(name)
  await bucket.remove(name)
}
