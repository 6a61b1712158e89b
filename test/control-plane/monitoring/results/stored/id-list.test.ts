/** Ids that are kept as bytes are the same ones, in their order, however many there are. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { addId, emptyList, idsIn } from '../../../../../control-plane/monitoring/results/stored/id-list.ts'

t.test('ids go in and come out', async (t) => {
  for (const count of [0, 1, 8, 9, 100]) {
    const ids = Array.from({ length: count }, () => randomUUID())
    const list = emptyList()
    for (const id of ids) addId(list, id)
    t.equal(list.count, count)
    t.strictSame(idsIn(list, { from: 0, to: count }), ids)
    t.strictSame(idsIn(list, { from: count >> 1, to: count }), ids.slice(count >> 1), 'the later half')
  }
})
