import { rmSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { Answer } from '../../../agent/reporting/answer.ts'
import { createOutbox } from '../../../agent/reporting/outbox.ts'
import { openSpool } from '../../../agent/reporting/spool.ts'
import type { ReportRequest, ReportResponse } from '../../../protocol/agent-api.ts'
import { agentIo } from '../../support/agent-io.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/test-agent.ts'
import { until } from '../../support/until.ts'

const unavailable: Answer<ReportResponse> = {
  ok: false,
  reason: 'unavailable',
  status: 503,
  message: 'busy',
  retryAfterMs: 0,
}

const setUp = (t: Test, dir = temporaryFolder(t)) => {
  const clock = fakeClock()
  const io = { ...agentIo({ clock }), random: () => 1 }
  const spool = openSpool({ dir, capacity: () => 1_000_000, io })
  const sent: string[][] = []
  const settled: string[] = []
  const state = { answer: null as Answer<ReportResponse> | null, diskErrors: 0 }
  const outbox = createOutbox({
    agentId: 'agent',
    spool,
    io,
    send: async (body) => {
      const { reports } = JSON.parse(body) as ReportRequest
      sent.push(reports.map(({ jobId }) => jobId))
      const outcomes = reports.map(({ jobId }) => ({ jobId, outcome: 'accepted' as const }))
      return state.answer ?? { ok: true, value: { serverTime: 0, outcomes } }
    },
    onSettled: ({ jobId }) => settled.push(jobId),
    onDiskError: () => {
      state.diskErrors += 1
    },
  })
  const add = (jobId: string): void => outbox.add(jobId, JSON.stringify({ jobId }))
  const flush = (): Promise<boolean> => outbox.flush(new AbortController().signal)
  return { clock, spool, sent, settled, state, outbox, add, flush, dir }
}

t.test('what finishes within 20 ms travels together', async (t) => {
  const { clock, sent, settled, add, flush, spool } = setUp(t)
  add('a')
  clock.advance(19)
  add('b')
  t.same(sent, [])
  clock.advance(1)
  t.ok(await flush())
  t.same(sent, [['a', 'b']])
  t.same(settled, ['a', 'b'])
  t.equal(spool.stats().batches, 0)
})

t.test('a request holds at most a thousand reports', async (t) => {
  const { sent, add, flush } = setUp(t)
  for (let index = 0; index < 2500; index += 1) add(`job-${index}`)
  t.ok(await flush())
  t.ok(sent.every(({ length }) => length <= 1000))
  t.equal(new Set(sent.flat()).size, 2500)
})

t.test('an upload that fails is tried again after the back-off, and its results stay on disk', async (t) => {
  const { clock, sent, state, add, flush, outbox, spool, dir } = setUp(t)
  state.answer = unavailable
  add('a')
  const given = new AbortController()
  const flushed = outbox.flush(given.signal)
  await new Promise((resolve) => setImmediate(resolve))
  given.abort()
  t.equal(await flushed, false)
  t.equal(spool.stats().batches, 1)
  t.equal(setUp(t, dir).spool.leftBehind.length, 1, 'another agent would find it')
  state.answer = null
  t.equal(sent.length, 1)
  clock.advance(499)
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(sent.length, 1)
  clock.advance(1)
  t.ok(await flush())
  t.same(sent, [['a'], ['a']])
})

t.test('what waits is tried again soon after the control plane has answered something else', async (t) => {
  const { clock, sent, settled, state, add, outbox } = setUp(t)
  state.answer = unavailable
  add('a')
  for (const waitMs of [20, 500, 1000, 2000, 4000, 8000, 16_000]) {
    const tries = sent.length
    await until('it waits', () => clock.timers() === 1)
    clock.advance(waitMs)
    await until('it is sent', () => sent.length > tries)
  }
  state.answer = null
  await until('it waits for half a minute', () => clock.timers() === 1)
  clock.advance(1000)
  outbox.wake()
  t.same(settled, [])
  await until('it waits for a moment', () => clock.timers() === 1)
  clock.advance(1000)
  await until('it is sent', () => settled.length === 1)
})

t.test('a disk that cannot be written costs no result, and is said once', async (t) => {
  const { sent, state, add, flush, dir } = setUp(t)
  rmSync(dir, { recursive: true })
  writeFileSync(dir, 'nothing can be written below')
  add('a')
  add('b')
  t.ok(await flush())
  t.same(sent, [['a', 'b']])
  t.equal(state.diskErrors, 1)
})

t.test('reports that waited on the disk alone are settled by their jobs', async (t) => {
  const { clock, settled, state, add, flush } = setUp(t)
  state.answer = unavailable
  add('first')
  clock.advance(20)
  await new Promise((resolve) => setImmediate(resolve))
  const ids = Array.from({ length: 20_000 }, (_, index) => `job-${index}`)
  for (const id of ids) add(id)
  state.answer = null
  clock.advance(60_000)
  t.ok(await flush())
  t.equal(settled.length, 1 + ids.length)
  const known = new Set(settled)
  t.ok(ids.every((id) => known.has(id)))
})

t.test('what the control plane wants later is sent again after the others, and stays on disk', async (t) => {
  const { clock, sent, settled, state, add, flush, spool } = setUp(t)
  const say = (outcomes: ReportResponse['outcomes']): void => {
    state.answer = { ok: true, value: { serverTime: 0, outcomes } }
  }
  say([
    { jobId: 'a', outcome: 'accepted' },
    { jobId: 'b', outcome: 'later' },
  ])
  add('a')
  add('b')
  const flushed = flush()
  await new Promise((resolve) => setImmediate(resolve))
  t.same(settled, ['a'])
  t.equal(spool.stats().batches, 1)
  state.answer = null
  add('c')
  // Batches that come meanwhile go first.
  for (let turn = 0; turn < 4; turn += 1) {
    clock.advance(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.ok(await flushed)
  t.same(
    sent,
    [['a', 'b'], ['b'], ['c']].toSorted((x, y) => Number(x[0] === 'c') - Number(y[0] === 'c')),
  )
  t.same(settled.toSorted(), ['a', 'b', 'c'])
  t.equal(spool.stats().batches, 0)
})
