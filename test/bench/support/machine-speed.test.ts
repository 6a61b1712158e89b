import t from 'tap'
import { roundsPerCpuSecond, shownSpeed } from '../../../bench/support/machine-speed.ts'

t.test('the speed of this machine is measured in a process of its own', async (t) => {
  t.ok(roundsPerCpuSecond(1) > 0)
})

t.test('one number is shown for a machine that stayed as it was, two for one that changed', async (t) => {
  t.equal(shownSpeed({ before: 6504, after: 6449 }), '6,480')
  t.equal(shownSpeed({ before: 950, after: 1050 }), '1,000')
  t.equal(shownSpeed({ before: 6504, after: 3249 }), '6,500 → 3,250')
  t.equal(shownSpeed({ before: 3249, after: 6504 }), '3,250 → 6,500')
})
