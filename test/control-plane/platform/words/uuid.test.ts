import { randomUUID } from 'node:crypto'
import t from 'tap'
import { uuidV7 } from '../../../../control-plane/platform/words/uuid.ts'

t.test('an id is a version 7 UUID of the RFC variant that begins with its time', async (t) => {
  const id = uuidV7(0x017f22e279b0, randomUUID())
  t.match(id, /^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

t.test('ids sort by their time and differ within a millisecond', async (t) => {
  const ids = [1, 2, 2, 3, 1_700_000_000_000].map((time) => uuidV7(time, randomUUID()))
  t.strictSame(
    [...ids].sort((a, b) => a.slice(0, 13).localeCompare(b.slice(0, 13))),
    ids,
  )
  t.equal(new Set(ids).size, ids.length)
})
