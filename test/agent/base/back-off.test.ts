import t from 'tap'
import { backOffMs } from '../../../agent/base/back-off.ts'
import { fc } from '../../support/fast-check.ts'

t.test('it doubles from half a second to half a minute', async (t) => {
  t.same(
    [1, 2, 3, 7, 100].map((failures) => backOffMs(failures, 1)),
    [500, 1000, 2000, 30_000, 30_000],
  )
})

t.test('it always waits, at least half of the step and never more', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, random) => {
        const wait = backOffMs(failures, random)
        const most = backOffMs(failures, 1)
        return wait >= most / 2 && wait <= most && most <= 30_000
      },
    ),
  )
})
