import t, { type Test } from 'tap'
import { openLateBatches } from '../../../agent/orders/late-batches.ts'
import { createLateLane } from '../../../agent/orders/late-lane.ts'
import type { LateReport, LateReportRequest } from '../../../protocol/standing-order.ts'
import { recordingLog } from '../../support/agent-io.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const report = (dueAt: number): LateReport => ({
  ...{ jobId: `job-${dueAt}`, fence: 1, startedAt: dueAt, stoppedAt: dueAt, outcome: { kind: 'cancelled' } },
  ...{ log: [], checkId: 'c', version: 1, dueAt, attempt: 1, firstStartedAt: dueAt, retried: false },
  judgedBy: { degradedResponseTime: null, maxResponseTime: null },
})

const setUp = (t: Test, count: number, { clock = fakeClock(), random = 0.5 } = {}) => {
  const { log, lines } = recordingLog()
  const settled: string[] = []
  const sent: { at: number; due: number[]; reports: LateReport[] }[] = []
  const live = { waiting: false }
  const judge = { refuses: (_: number): boolean => false }
  /** How long each answer takes. */
  const answers = { afterMs: 0 }
  const io = { clock, log, random: () => random, newId: () => 'owner' }
  const ignore = (): void => undefined
  const batches = openLateBatches({
    ...{ dir: temporaryFolder(t), capacity: () => 1e9, io, onDropped: ignore, onDiskError: ignore },
  })
  for (let dueAt = 1; dueAt <= count; dueAt += 1) batches.add(report(dueAt))
  const lane = createLateLane({
    ...{
      agentId: 'a',
      batches,
      io,
      told: () => [],
      onToldTaken: ignore,
      hasArtifact: (_, name) => name === 'kept.png',
    },
    send: async (body) => {
      const { reports } = JSON.parse(body) as LateReportRequest
      const due = reports.map(({ dueAt }) => dueAt)
      sent.push({ at: clock.monotonic(), due, reports })
      if (answers.afterMs > 0) await clock.sleep(answers.afterMs, new AbortController().signal)
      if (due.some(judge.refuses))
        return { ok: false, reason: 'refused', status: 400, message: 'not valid', retryAfterMs: 0 }
      const outcomes = reports.map(({ jobId }) => ({ jobId, outcome: 'accepted' as const }))
      return { ok: true, value: { serverTime: 0, outcomes } }
    },
    untilLiveAreSent: (signal) =>
      live.waiting
        ? new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
        : Promise.resolve(),
    onSettled: (jobId, outcome) => settled.push(`${jobId} ${outcome}`),
  })
  t.teardown(lane.stop)
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 100) {
      clock.advance(100)
      await new Promise(setImmediate)
    }
  }
  return { lane, sent, settled, pass, live, judge, answers, batches, lines }
}

t.test('live reports go first, and never for ever', async (t) => {
  const { lane, sent, pass, live } = setUp(t, 10)
  live.waiting = true
  lane.resume()
  await pass(2400)
  t.same(sent, [], 'half a second, and two for the live ones')
  await pass(300)
  t.equal(sent.length, 1)
})

t.test('nothing is sent while the control plane is away, and all of it when it is back', async (t) => {
  const { lane, sent, pass, batches } = setUp(t, 350)
  lane.offer()
  await pass(10_000)
  t.same(sent, [])
  lane.resume()
  await pass(1600)
  lane.pause()
  const before = sent.length
  t.ok(before > 0 && before < 4)
  await pass(10_000)
  t.equal(sent.length, before)
  lane.resume()
  await pass(10_000)
  t.same(
    sent.flatMap(({ due }) => due),
    Array.from({ length: 350 }, (_, index) => 350 - index),
  )
  t.equal(batches.count(), 0)
})

t.test('a hundred in a second, and no more', async (t) => {
  const { lane, sent, pass } = setUp(t, 1000)
  lane.resume()
  await pass(20_000)
  t.equal(sent.length, 10)
  const gaps = sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0))
  t.ok(
    gaps.every((gap) => gap >= 1000),
    gaps.join(),
  )
})

t.test('agents that learn in one moment that the control plane is back are not in step', async (t) => {
  const clock = fakeClock()
  const agents = [0.1, 0.5, 0.9].map((random) => setUp(t, 250, { clock, random }))
  for (const { lane } of agents) lane.resume()
  await agents[0]?.pass(4000)
  const times = agents.map(({ sent }) => sent.map(({ at }) => at))
  t.strictSame(
    times.map(([first]) => first),
    [100, 500, 900],
    'each begins at its own time',
  )
  const paces = times.map(([first = 0, second = 0]) => second - first)
  t.equal(new Set(paces).size, agents.length, 'and goes on at its own pace')
})

t.test(
  'a control plane that is slow to answer has four times as long for others, and is never left for long',
  async (t) => {
    const { lane, sent, pass, answers, batches } = setUp(t, 600)
    const gaps = () => sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0))
    answers.afterMs = 200
    lane.resume()
    await pass(4000)
    t.ok(
      gaps().every((gap) => gap >= 1000 && gap <= 1400),
      `a quick one costs nothing: ${gaps()}`,
    )
    answers.afterMs = 1000
    await pass(1500)
    const before = sent.length
    await pass(6000)
    t.ok(sent.length - before <= 2, `${sent.length - before} in six seconds`)
    t.ok((gaps().at(-1) ?? 0) >= 5000, `${gaps()}`)
    answers.afterMs = 10_000
    await pass(100_000)
    t.equal(batches.count(), 0)
    t.ok((gaps().at(-1) ?? 0) <= 21_000, `${gaps()}`)
  },
)

t.test('one that can never be accepted is found and dropped, and holds up no other', async (t) => {
  const { lane, settled, pass, judge, batches, lines } = setUp(t, 120)
  judge.refuses = (dueAt) => dueAt === 77
  lane.resume()
  await pass(60_000)
  t.equal(batches.count(), 0)
  t.equal(settled.length, 120)
  t.same(
    settled.filter((one) => !one.endsWith(' accepted')),
    ['job-77 refused'],
  )
  t.ok(lines.some((line) => line.includes('can never accept a late result')))
})

t.test('files that had to go while their run waited are said to have gone', async (t) => {
  const { lane, sent, pass, batches } = setUp(t, 1)
  const file = { type: 'screenshot' as const, contentType: 'image/png', size: 3, sha256: 'a'.repeat(64) }
  const artifacts = ['kept.png', 'gone.png'].map((name) => ({ ...file, name }))
  batches.add({ ...report(2), artifacts })
  lane.resume()
  await pass(5000)
  const [of, without] = sent.flatMap(({ reports }) => reports)
  t.match(of?.artifacts, [
    { name: 'kept.png', sha256: 'a'.repeat(64), refused: undefined },
    { name: 'gone.png', sha256: null, refused: /the spool of the agent was full .*SPOOL_MAX_MB/ },
  ])
  t.equal(without?.artifacts, undefined)
})
