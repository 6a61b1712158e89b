import type { JobQueue } from '../protocol/check-type.ts'
import type { TimerClock } from '../protocol/clock.ts'
import { createLanes } from './fast-slow-pools.ts'
import type { HeldJob } from './held-job.ts'

/** Jobs that are due get a slot here, in the order of their coming, when their queue has one. */
export type Slots = {
  /** A job is due; it starts at the next `fill` that finds room for it, unless it is cancelled before. */
  add(job: HeldJob): void
  fill(): void
  leave(job: HeldJob): void
  /** No more starts. */
  close(): void
  running(): number
  /** What occupies slots of a queue. */
  occupied(queue: JobQueue): number
  slow(): number
  /** Resolves when nothing runs, or after `timeoutMs`. */
  untilIdle(timeoutMs: number): Promise<void>
}

export type SlotsOptions = {
  clock: TimerClock
  /** How busy this process was since the last call, 0 to 1. */
  busy(): number
  uptimeConcurrency: number
  jobConcurrency: number
  start(job: HeldJob): void
}

const maxSlow = 10_000
/** Above this share of its time, a process makes runs slow itself: of those, more at once would make all of them slower. */
const saturated = 0.9
/** Enough for targets that never answer, which hold slots that others want also while we are saturated. */
const maxSlowSaturated = 1000
const slowAfterMs = 1000
const sortEveryMs = 200

export const createSlots = ({
  clock,
  busy,
  uptimeConcurrency,
  jobConcurrency,
  start,
}: SlotsOptions): Slots => {
  const due: Record<JobQueue, HeldJob[]> = { uptime: [], main: [] }
  const lanes = createLanes<HeldJob>({ fast: uptimeConcurrency, slowAfterMs })
  const main = new Set<HeldJob>()
  const idle = new Set<() => void>()
  let closed = false
  let sorting = false

  const running = (): number => lanes.fast() + lanes.slow() + main.size

  const fill = (): void => {
    if (closed) return
    startWhile(due.uptime, lanes.hasRoom)
    startWhile(due.main, () => main.size < jobConcurrency)
  }

  const startWhile = (queue: HeldJob[], hasRoom: () => boolean): void => {
    let count = 0
    while (count < queue.length && hasRoom()) {
      const job = queue[count] as HeldJob
      count += 1
      if (job.controller.signal.aborted) continue
      enter(job)
      start(job)
    }
    queue.splice(0, count)
  }

  const enter = (job: HeldJob): void => {
    if (job.queue === 'main') {
      main.add(job)
      return
    }
    lanes.enter(job, clock.monotonic())
    sortSoon()
  }

  const sortSoon = (): void => {
    if (!sorting) clock.at(sortEveryMs, sort)
    sorting = true
  }

  const sort = (): void => {
    sorting = false
    const most = busy() < saturated ? maxSlow : maxSlowSaturated
    if (lanes.sort(clock.monotonic(), most) > 0) fill()
    if (lanes.fast() > 0) sortSoon()
  }

  const untilIdle = (timeoutMs: number): Promise<void> =>
    new Promise((resolve) => {
      if (running() === 0) return resolve()
      const done = (): void => {
        cancel()
        idle.delete(done)
        resolve()
      }
      const cancel = clock.at(timeoutMs, done)
      idle.add(done)
    })

  return {
    add: (job) => due[job.queue].push(job),
    fill,
    leave: (job) => {
      if (!main.delete(job)) lanes.leave(job)
      if (running() === 0) for (const wake of idle) wake()
    },
    close: () => {
      closed = true
    },
    running,
    occupied: (queue) => (queue === 'main' ? main.size : lanes.fast()),
    slow: lanes.slow,
    untilIdle,
  }
}
