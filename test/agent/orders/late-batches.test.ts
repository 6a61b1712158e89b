import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openLateBatches } from '../../../agent/orders/late-batches.ts'
import type { LateReport } from '../../../protocol/standing-order.ts'
import { recordingLog } from '../../support/agent-io.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const report = (dueAt: number, change: Partial<LateReport> = {}): LateReport => ({
  ...{ jobId: `job-${dueAt}-${change.attempt ?? 1}`, fence: 1, startedAt: dueAt, stoppedAt: dueAt },
  ...{ outcome: { kind: 'could-not-run', reason: 'x'.repeat(1000) }, log: [], checkId: 'c', version: 1 },
  ...{ dueAt, attempt: 1, firstStartedAt: dueAt, retried: false },
  judgedBy: { degradedResponseTime: null, maxResponseTime: null },
  ...change,
})

const setUp = (t: Test, { capacity = 10_000_000, dir = temporaryFolder(t) } = {}) => {
  const clock = fakeClock()
  const { log, lines } = recordingLog()
  const seen = { dropped: 0, diskErrors: 0 }
  let owner = 0
  const open = () =>
    openLateBatches({
      dir,
      capacity: () => capacity,
      io: {
        clock,
        log,
        newId: () => {
          owner += 1
          return `owner-${owner}`
        },
      },
      onDropped: (count) => {
        seen.dropped += count
      },
      onDiskError: () => {
        seen.diskErrors += 1
      },
    })
  return { dir, clock, lines, seen, open }
}

const takeAll = (late: ReturnType<typeof openLateBatches>): LateReport[] => {
  const reports: LateReport[] = []
  for (let one = late.newest(); one !== null; one = late.newest()) {
    reports.push(...late.linesOf(one).map((line) => JSON.parse(line) as LateReport))
    late.done(one)
  }
  return reports
}

t.test('a spool that is full loses the oldest, and says how many: they become missed runs', async (t) => {
  const { open, seen, lines } = setUp(t, { capacity: 500_000 })
  const late = open()
  for (let dueAt = 1; dueAt <= 1000; dueAt += 1) late.add(report(dueAt))
  t.ok(late.bytes() <= 500_000 + 2000)
  t.ok(seen.dropped >= 500)
  t.equal(late.count() + seen.dropped, 1000)
  t.equal(late.held()?.firstDueAt, seen.dropped + 1)
  t.equal(late.held()?.lastDueAt, 1000)
  t.ok(lines.some((line) => line.includes('become missed runs')))
  const due = takeAll(late).map(({ dueAt }) => dueAt)
  t.same(
    due,
    Array.from({ length: 1000 - seen.dropped }, (_, index) => 1000 - index),
    'the newest first',
  )
  t.equal(late.held(), undefined)
  t.equal(late.bytes(), 0)
})

t.test('what an earlier process left is counted, and sent as it was', async (t) => {
  const { open } = setUp(t)
  const first = open()
  for (let dueAt = 1; dueAt <= 250; dueAt += 1) first.add(report(dueAt))
  first.add(report(251, { artifacts: [] }))
  const second = open()
  const left = await second.open(251)
  t.same([...left.withFiles], ['job-251-1'])
  t.ok(left.recent.has('c 251'))
  t.same(second.held(), { reports: 251, firstDueAt: 1, lastDueAt: 251 })
  t.equal(takeAll(second).length, 251)
})

t.test('a run whose agent died before its next attempt has ended with the last one', async (t) => {
  const { open } = setUp(t)
  const first = open()
  first.add(report(1, { retried: true }))
  first.add(report(1, { retried: true, attempt: 2 }))
  first.add(report(2, { retried: true }))
  first.add(report(2, { retried: false, attempt: 2 }))
  const second = open()
  await second.open(0)
  const ends = takeAll(second).map(({ dueAt, attempt, retried }) => [dueAt, attempt, retried])
  t.same(ends.toSorted(), [
    [1, 1, true],
    [1, 2, false],
    [2, 1, true],
    [2, 2, false],
  ])
  const third = open()
  third.add(report(3, { retried: true }))
  t.match(takeAll(third), [{ retried: true }], 'while it lives, the next attempt is to come')
})

t.test('where the disk takes nothing the newest are in memory', async (t) => {
  const parent = temporaryFolder(t)
  const dir = join(parent, 'late')
  writeFileSync(dir, '')
  const { open, seen } = setUp(t, { dir })
  const late = open()
  for (let dueAt = 1; dueAt <= 150; dueAt += 1) late.add(report(dueAt))
  t.equal(seen.diskErrors, 1, 'said once a minute')
  t.equal(late.count() + seen.dropped, 150)
  t.ok(late.count() >= 100)
  t.equal(takeAll(late)[0]?.dueAt, 150)
})
