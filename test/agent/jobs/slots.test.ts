import t from 'tap'
import type { HeldJob } from '../../../agent/jobs/held-job.ts'
import { createSlots } from '../../../agent/jobs/slots.ts'
import type { Job } from '../../../protocol/job.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const heldJob = (): HeldJob => ({
  job: {} as Job,
  queue: 'uptime',
  state: 'waiting',
  controller: new AbortController(),
  renewedAt: 0,
  length: 0,
  lapsed: false,
  isRunAlone: false,
  onReport: null,
})

/** Slots whose runs end when the test says so; `load.busy` is what the process says of itself. */
const room = (uptimeConcurrency: number) => {
  const clock = fakeClock()
  const started: HeldJob[] = []
  const load = { busy: 0 }
  const slots = createSlots({
    clock,
    busy: () => load.busy,
    uptimeConcurrency,
    jobConcurrency: 1,
    start: (job) => started.push(job),
  })
  const add = (count: number): void => {
    for (let i = 0; i < count; i += 1) slots.add(heldJob())
    slots.fill()
  }
  return { clock, started, load, slots, add }
}

t.test('runs that wait for their targets leave room for others, also in a saturated process', async (t) => {
  const { clock, started, load, slots, add } = room(500)
  add(500)
  load.busy = 1
  clock.advance(1000)
  t.same([slots.slow(), slots.occupied('uptime')], [500, 0])
  add(1000)
  t.equal(started.length, 1000)
  clock.advance(1000)
  t.same([slots.slow(), started.length], [1000, 1500])
  clock.advance(5000)
  t.equal(slots.slow(), 1000, 'but not for ever more: some are slow because of us')
  load.busy = 0.5
  clock.advance(200)
  t.equal(slots.slow(), 1500)
})
