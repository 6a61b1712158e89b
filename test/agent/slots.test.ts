import t from 'tap'
import type { HeldJob } from '../../agent/held-job.ts'
import { createSlots } from '../../agent/slots.ts'
import type { Job } from '../../protocol/job.ts'
import { fakeClock } from '../support/fake-clock.ts'

const heldJob = (): HeldJob => ({
  job: {} as Job,
  queue: 'uptime',
  state: 'waiting',
  controller: new AbortController(),
  renewedAt: 0,
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
  const endAll = (): void => {
    for (const job of started.splice(0)) slots.leave(job)
    slots.fill()
  }
  return { clock, started, load, slots, add, endAll }
}

t.test('a saturated process starts fewer at once, and as many as before when it has pauses', async (t) => {
  const { clock, started, load, slots, add, endAll } = room(500)
  add(2000)
  t.equal(started.length, 500)
  load.busy = 1
  clock.advance(800)
  endAll()
  t.equal(started.length, 32)
  load.busy = 0.2
  clock.advance(600)
  t.equal(slots.occupied('uptime'), 256, 'more are started as soon as they may be')
  clock.advance(200)
  t.equal(slots.occupied('uptime'), 500)
})

t.test('runs that wait for their targets leave room for others, also in a saturated process', async (t) => {
  const { clock, started, load, slots, add } = room(500)
  add(500)
  load.busy = 1
  clock.advance(1000)
  t.same([slots.slow(), slots.occupied('uptime')], [500, 0])
  add(1000)
  t.equal(started.length, 532)
  clock.advance(1000)
  t.equal(slots.slow(), 532)
})

t.test('a process that had nothing to do starts with all its room', async (t) => {
  const { clock, started, load, add, endAll } = room(500)
  add(500)
  load.busy = 1
  clock.advance(800)
  endAll()
  clock.advance(200)
  add(500)
  t.equal(started.length, 500)
})
