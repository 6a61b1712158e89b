import t from 'tap'
import { createFastSlowPools } from '../../agent/fast-slow-pools.ts'

t.test('a run that waits for long moves to the slow lane and frees its slot', async (t) => {
  const lanes = createFastSlowPools<string>({ fast: 2, slowAfterMs: 1000 })
  lanes.enter('a', 0)
  lanes.enter('b', 500)
  t.equal(lanes.hasRoom(), false)
  t.equal(lanes.sort(999, 1), 0)
  t.equal(lanes.sort(1000, 1), 1)
  t.equal(lanes.hasRoom(), true)
  t.same([lanes.fast(), lanes.slow()], [1, 1])
  t.equal(lanes.sort(5000, 1), 0, 'the slow lane is bounded')
  lanes.leave('a')
  t.equal(lanes.sort(5000, 1), 1)
  lanes.leave('b')
  t.same([lanes.fast(), lanes.slow()], [0, 0])
})
