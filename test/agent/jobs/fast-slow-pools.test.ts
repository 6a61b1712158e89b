import t from 'tap'
import { createFastSlowPools } from '../../../agent/jobs/fast-slow-pools.ts'

t.test('a run that waits for long moves to the slow pool and frees its slot', async (t) => {
  const pools = createFastSlowPools<string>({ fast: 2, slowAfterMs: 1000 })
  pools.enter('a', 0)
  pools.enter('b', 500)
  t.equal(pools.hasRoom(), false)
  t.equal(pools.sort(999, 1), 0)
  t.equal(pools.sort(1000, 1), 1)
  t.equal(pools.hasRoom(), true)
  t.same([pools.fast(), pools.slow()], [1, 1])
  t.equal(pools.sort(5000, 1), 0, 'the slow pool is bounded')
  pools.leave('a')
  t.equal(pools.sort(5000, 1), 1)
  pools.leave('b')
  t.same([pools.fast(), pools.slow()], [0, 0])
})
