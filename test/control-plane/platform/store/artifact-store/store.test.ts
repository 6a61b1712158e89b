/** What both stores promise, each over the real thing. */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'
import { pieceBytes } from '../../../../../control-plane/platform/store/artifact-store/bucket-store.ts'
import type { ArtifactStore } from '../../../../../control-plane/platform/store/artifact-store/store.ts'
import { eachStore, type TestStore } from '../../../../support/artifact-stores.ts'

const key = 'ab'.repeat(32)
const other = 'ac'.repeat(32)

const opened = async (t: Test, store: TestStore) => (await store.plane(t)).app.artifacts.store

const chunksOf = (bytes: Uint8Array, size = 100_000): Readable =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    })(),
  )

const readAll = async (store: ArtifactStore, range: { start: number; end: number }) => {
  const stream = await store.read(key, range)
  return stream === null ? null : buffer(stream)
}

eachStore('a file is written in parts of any size and read in any range', async (t, stores) => {
  const store = await opened(t, stores)
  const bytes = randomBytes(2 * pieceBytes + 700_001)
  let offset = 0
  for (const part of [1, 300_000, pieceBytes, pieceBytes - 300_001, 0, 700_001]) {
    t.equal(await store.write(key, offset, chunksOf(bytes.subarray(offset, offset + part))), offset + part)
    offset += part
    t.equal(await store.size(key), offset)
  }
  for (const [start, end] of [
    [0, bytes.length],
    [0, 1],
    [pieceBytes - 1, pieceBytes + 1],
    [1, 2 * pieceBytes + 1],
    [bytes.length - 1, bytes.length],
  ] as const) {
    const read = await readAll(store, { start, end })
    t.ok(read?.equals(bytes.subarray(start, end)), `from ${start} to ${end}`)
  }
  t.equal((await readAll(store, { start: 5, end: 5 }))?.length, 0)
  await store.remove(key)
  t.equal(await store.size(key), 0)
  t.equal(await store.read(key, { start: 0, end: bytes.length }), null)
})

eachStore('what is not there is nothing, and can be removed', async (t, stores) => {
  const store = await opened(t, stores)
  t.equal(await store.size(key), 0)
  t.equal(await store.read(key, { start: 0, end: 1 }), null)
  t.equal(await store.read(key, { start: 0, end: 0 }), null)
  await store.remove(key)
})

eachStore('an empty file is there, and files are none of each other', async (t, stores) => {
  const store = await opened(t, stores)
  t.equal(await store.write(key, 0, Readable.from([])), 0)
  t.equal((await readAll(store, { start: 0, end: 0 }))?.length, 0)
  await store.write(other, 0, chunksOf(Buffer.from('other')))
  await store.remove(key)
  t.equal(await store.size(other), 5)
})

eachStore('what had come before a failure stays, and is gone on with', async (t, stores) => {
  const store = await opened(t, stores)
  const bytes = randomBytes(pieceBytes + 200_000)
  const breaking = async function* () {
    yield* chunksOf(bytes.subarray(0, pieceBytes + 50_000)) as AsyncIterable<Uint8Array>
    throw new Error('the connection broke')
  }
  await t.rejects(store.write(key, 0, breaking()), { message: 'the connection broke' })
  t.equal(await store.size(key), pieceBytes + 50_000)
  // By another control plane with the same store: nothing of a file is in the memory of one.
  const second = await opened(t, stores)
  await second.write(key, pieceBytes + 50_000, chunksOf(bytes.subarray(pieceBytes + 50_000)))
  t.ok((await readAll(store, { start: 0, end: bytes.length }))?.equals(bytes))
})

eachStore('a reader that stops half-way ends its stream', async (t, stores) => {
  const store = await opened(t, stores)
  await store.write(key, 0, chunksOf(randomBytes(pieceBytes)))
  const stream = await store.read(key, { start: 0, end: pieceBytes })
  for await (const _ of stream ?? []) break
  t.equal(stream?.destroyed, true)
})
