/** A store on a small volume: it is full while deleting still works, and a start without room says so. */
import { writeFileSync } from 'node:fs'
import t from 'tap'
import {
  freeBytes,
  headroomBytes,
  leastFreeBytes,
  maxPages,
} from '../../../../../control-plane/platform/store/database/disk-room.ts'
import { migrate } from '../../../../../control-plane/platform/store/database/migrate.ts'
import { query } from '../../../../../control-plane/platform/store/database/query.ts'
import { openSqlite } from '../../../../../control-plane/platform/store/database/sqlite.ts'
import { storeErrorKind } from '../../../../../control-plane/platform/store/database/store-error.ts'
import { noSmallDisk, smallDisk } from '../../../../support/small-disk.ts'

const skip = noSmallDisk()
const megabyte = 1024 * 1024

const insertAccount = query('test-room-insert', (k, p: { id: string; doc: string }) =>
  k.insertInto('accounts').values({ id: p.id, name: 'a', created_at: 1, updated_at: null, doc: p.doc }),
)
const deleteAccount = query('test-room-delete', (k, p: { id: string }) =>
  k.deleteFrom('accounts').where('id', '=', p.id),
)

t.test('the store may take what is free beyond the headroom, and keeps what it has', async (t) => {
  const pageSize = 8192
  t.equal(maxPages({ pages: 10, pageSize, free: headroomBytes + 5 * pageSize + 1 }), 15)
  t.equal(maxPages({ pages: 10, pageSize, free: headroomBytes - 1 }), 10)
  t.equal(maxPages({ pages: 0, pageSize, free: 0 }), 1)
})

t.test('a full store can be emptied, filled again, closed and opened', { skip }, async (t) => {
  const disk = await smallDisk(t, 128)
  const file = `${disk.folder}/watchpost.db`
  const db = openSqlite(file)
  t.teardown(() => db.close())
  await migrate(db, 0)
  const doc = 'x'.repeat(megabyte)
  const fill = async (start: number): Promise<string[]> => {
    const ids: string[] = []
    for (let index = start; ; index += 1) {
      const kind = await db.run(insertAccount, { id: `${index}`, doc }).then(
        () => null,
        (error: unknown) => storeErrorKind(error),
      )
      if (kind === null) ids.push(`${index}`)
      else {
        t.equal(kind, 'full')
        return ids
      }
    }
  }
  const first = await fill(0)
  t.ok(first.length >= 32, `${first.length} MB fit`)
  t.ok(freeBytes(file) >= leastFreeBytes, 'there is room for the log')
  for (const id of first.slice(0, 20)) t.equal(await db.run(deleteAccount, { id }), 1)
  t.ok((await fill(1000)).length >= 18, 'what was deleted can be used again')
  await db.close()
  const again = openSqlite(file)
  t.teardown(() => again.close())
  t.equal(await again.run(deleteAccount, { id: first.at(-1) ?? '' }), 1, 'after a start as well')
})

t.test('what others take of the volume is noticed', { skip }, async (t) => {
  const disk = await smallDisk(t, 128)
  const db = openSqlite(`${disk.folder}/watchpost.db`)
  t.teardown(() => db.close())
  await migrate(db, 0)
  const doc = 'x'.repeat(4 * megabyte)
  await db.run(insertAccount, { id: 'a', doc })
  writeFileSync(`${disk.folder}/other`, Buffer.alloc(70 * megabyte))
  db.fitToDisk()
  await t.rejects(db.run(insertAccount, { id: 'b', doc }), { code: 'SQLITE_FULL' })
  t.equal(await db.run(deleteAccount, { id: 'a' }), 1)
  writeFileSync(`${disk.folder}/other`, '')
  db.fitToDisk()
  t.equal(await db.run(insertAccount, { id: 'c', doc: doc.repeat(2) }), 1)
})

t.test('a start without room is refused in one sentence', { skip }, async (t) => {
  const disk = await smallDisk(t, 16)
  t.throws(() => openSqlite(`${disk.folder}/watchpost.db`), {
    name: 'UnusableStoreError',
    message: /has 1\d MB free, and a start needs 32: make room .* or move DATA_DIR/,
  })
})
