import t from 'tap'
import { createStaleReports } from '../../../agent/reporting/stale-reports.ts'
import type { Report } from '../../../protocol/result.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const report = (jobId: string): Report => ({
  jobId,
  fence: 1,
  startedAt: 0,
  stoppedAt: 0,
  outcome: { kind: 'cancelled' },
  log: [],
})
const megabyte = 1024 * 1024

t.test('a report is taken once', async (t) => {
  const stale = createStaleReports(fakeClock())
  stale.keep(report('a'), 10)
  t.same(stale.take('a'), report('a'))
  t.equal(stale.take('a'), null)
  t.equal(stale.take('b'), null)
})

t.test('their number, their size and their age are bounded; the oldest go', async (t) => {
  const clock = fakeClock()
  const stale = createStaleReports(clock)
  for (let index = 0; index <= 1000; index += 1) stale.keep(report(`job-${index}`), 1)
  t.equal(stale.take('job-0'), null)
  t.ok(stale.take('job-1'))
  stale.keep(report('large'), 8 * megabyte)
  t.equal(stale.take('job-2'), null)
  t.ok(stale.take('large'))
  stale.keep(report('old'), 1)
  clock.advance(10 * 60_000)
  t.equal(stale.take('old'), null)
})

t.test('one that is larger than all may be is not kept', async (t) => {
  const stale = createStaleReports(fakeClock())
  stale.keep(report('huge'), 9 * megabyte)
  t.equal(stale.take('huge'), null)
})
