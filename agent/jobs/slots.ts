import type { JobQueue } from '../../protocol/check-type.ts'
import type { TimerClock } from '../../protocol/clock.ts'
import { untilIdle } from '../base/until-idle.ts'
import { createFastSlowPools, type FastSlowPools } from './fast-slow-pools.ts'
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

type SlotsOptions = {
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

type SlotsState = SlotsOptions & {
  /** In the order of their coming. */
  due: Record<JobQueue, HeldJob[]>
  pools: FastSlowPools<HeldJob>
  main: Set<HeldJob>
  /** Called when nothing runs. */
  idle: Set<() => void>
  closed: boolean
  /** A timer for the next sorting runs. */
  sorting: boolean
}

/** Slots that are all free. */
export const createSlots = (options: SlotsOptions): Slots => {
  const state: SlotsState = {
    ...options,
    due: { uptime: [], main: [] },
    pools: createFastSlowPools<HeldJob>({ fast: options.uptimeConcurrency, slowAfterMs }),
    main: new Set(),
    idle: new Set(),
    closed: false,
    sorting: false,
  }
  const { due, pools, main } = state
  return {
    add: (job) => due[job.queue].push(job),
    fill: () => fill(state),
    leave: (job) => leave(state, job),
    close: () => {
      state.closed = true
    },
    running: () => running(state),
    occupied: (queue) => (queue === 'main' ? main.size : pools.fast()),
    slow: pools.slow,
    untilIdle: (timeoutMs) => idleWithin(state, timeoutMs),
  }
}

const running = ({ pools, main }: SlotsState): number => pools.fast() + pools.slow() + main.size

const fill = (state: SlotsState): void => {
  if (state.closed) return
  startWhile(state, 'uptime', state.pools.hasRoom)
  startWhile(state, 'main', () => state.main.size < state.jobConcurrency)
}

const startWhile = (state: SlotsState, queue: JobQueue, hasRoom: () => boolean): void => {
  const due = state.due[queue]
  let count = 0
  while (count < due.length && hasRoom()) {
    const job = due[count] as HeldJob
    count += 1
    if (job.controller.signal.aborted) continue
    enter(state, job)
    state.start(job)
  }
  due.splice(0, count)
}

const enter = (state: SlotsState, job: HeldJob): void => {
  if (job.queue === 'main') {
    state.main.add(job)
    return
  }
  state.pools.enter(job, state.clock.monotonic())
  sortSoon(state)
}

const leave = (state: SlotsState, job: HeldJob): void => {
  if (!state.main.delete(job)) state.pools.leave(job)
  if (running(state) === 0) for (const wake of state.idle) wake()
}

const sortSoon = (state: SlotsState): void => {
  if (!state.sorting) state.clock.at(sortEveryMs, () => sort(state))
  state.sorting = true
}

const sort = (state: SlotsState): void => {
  const { clock, busy, pools } = state
  state.sorting = false
  const max = busy() < saturated ? maxSlow : maxSlowSaturated
  if (pools.sort(clock.monotonic(), max) > 0) fill(state)
  if (pools.fast() > 0) sortSoon(state)
}

const idleWithin = async (state: SlotsState, timeoutMs: number): Promise<void> => {
  if (running(state) === 0) return
  const over = new AbortController()
  const cancel = state.clock.at(timeoutMs, () => over.abort())
  await untilIdle(state.idle, over.signal)
  cancel()
}
