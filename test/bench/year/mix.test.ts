import t from 'tap'
import { days, mixOf } from '../../../bench/year/mix.ts'

const dayMs = 86_400_000
const resultsOf = (results: number): number =>
  mixOf(results).reduce((sum, { everyMs, checks, days: of }) => sum + (checks * of * dayMs) / everyMs, 0)

t.test(
  'a mix of checks has as many results in a year as are asked for, within the runs of one check',
  async (t) => {
    const slowest = (days * dayMs) / 600_000
    for (const results of [200_000, 1_000_000, 3_210_000, 10_000_000])
      t.ok(Math.abs(resultsOf(results) - results) <= slowest, `${results}: ${resultsOf(results)}`)
  },
)

t.test('there is a check of every cadence in a large mix, and the ten-second one has a month', async (t) => {
  const mix = mixOf(10_000_000)
  t.ok(mix.every(({ checks }) => checks >= 1))
  t.equal(mix[0]?.days, 30)
})
