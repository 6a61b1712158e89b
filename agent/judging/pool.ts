/**
 * The processes that judge what is too much for the event loop: few, started when the first is needed, ended when nothing is
 * left to do. Each does one task at a time; the rest waits, bounded in number and memory, in the order of a fair queue.
 *
 * Processes, not threads: the kernel ends one at once whatever it does, its memory is its own, and so is its end
 * (docs/decisions/agent.md).
 */
import type { TimerClock } from '../../protocol/clock.ts'
import { createFairQueue, type FairQueue } from '../../protocol/fair-queue.ts'
import {
  idleMs,
  longestWaitMs,
  longestWorkMs,
  maxWaiting,
  maxWaitingBytes,
  type RunBudget,
  workerLifeCpuMs,
} from './limits.ts'
import type { JudgingAnswer, PackedTask } from './task.ts'
import { startWorker, type Worker, type WorkerEnd } from './worker.ts'

/** `key`: the check it is for. */
export type PoolTask = {
  key: string
  packed: PackedTask
  /** CPU time that it may take. */
  cpuMs: number
  signal: AbortSignal
  onAnswer(answer: JudgingAnswer): void
}

/** `busy`: it never got a process. `starved`: it had one, and the machine no time for it. */
export type TaskEnd = {
  why: 'done' | 'out-of-time' | 'out-of-memory' | 'aborted' | 'busy' | 'starved' | Error
  /** What it took of a process, and for how long it had one. */
  cpuMs: number
  wallMs: number
}

export type JudgingPool = {
  /** What each run may take of it. */
  budget: RunBudget
  /** The clock by which work is measured. */
  monotonic(): number
  run(task: PoolTask): Promise<TaskEnd>
  /** Ends its processes. */
  close(): void
}

type PoolOptions = { execPath: string; size: number; clock: TimerClock; budget: RunBudget }

/** A task in the pool. */
type Entry = PoolTask & {
  bytes: number
  seat: Seat | null
  cancelTimer(): void
  settle(why: TaskEnd['why']): void
}

/** A process, the task that holds it, and how much CPU time it had used when it was given that task; null before. */
type Seat = {
  worker: Worker
  entry: Entry | null
  isReady: boolean
  idleSince: number
  begin: { cpuMs: number; at: number } | null
}

type Pool = PoolOptions & { queue: FairQueue<Entry>; seats: Set<Seat> }

/** A pool without a process. */
export const createJudgingPool = (options: PoolOptions): JudgingPool => {
  const { monotonic } = options.clock
  const queue = createFairQueue<Entry>({ max: maxWaiting, maxBytes: maxWaitingBytes, monotonic })
  const pool: Pool = { ...options, queue, seats: new Set() }
  return {
    budget: options.budget,
    monotonic,
    run: (task) => run(pool, task),
    close: () => {
      for (const { worker } of pool.seats) worker.kill()
    },
  }
}

const run = (pool: Pool, task: PoolTask): Promise<TaskEnd> =>
  new Promise((resolve) => {
    const { json, bodies } = task.packed
    let isSettled = false
    const entry: Entry = {
      ...task,
      bytes: bodies.reduce((sum, { length }) => sum + length, json.length),
      seat: null,
      cancelTimer: pool.clock.at(longestWaitMs, () => entry.settle('busy')),
      settle: (why) => {
        if (isSettled) return
        isSettled = true
        entry.cancelTimer()
        task.signal.removeEventListener('abort', onAbort)
        pool.queue.remove(entry)
        resolve({ why, ...leaveSeat(pool, entry, why === 'done') })
        fill(pool)
      },
    }
    const onAbort = (): void => entry.settle('aborted')
    task.signal.addEventListener('abort', onAbort)
    if (task.signal.aborted) return onAbort()
    for (const one of pool.queue.add(entry)) one.settle('busy')
    fill(pool)
  })

/** Gives those that wait a process. A check never has all of them at once. */
const fill = (pool: Pool): void => {
  const { seats, queue, size } = pool
  const max = Math.max(1, size - 1)
  const ofKey = (key: string): number => [...seats].filter(({ entry }) => entry?.key === key).length
  for (;;) {
    const free = [...seats].find((seat) => isFree(pool, seat))
    if (free === undefined && seats.size >= size) return
    const entry = queue.next((key) => ofKey(key) < max)
    if (entry === null) return
    takeSeat(pool, entry, free ?? null)
  }
}

/** One that may end itself at any moment is left to do so. */
const isFree = ({ clock }: Pool, { entry, isReady, idleSince }: Seat): boolean =>
  entry === null && isReady && clock.monotonic() - idleSince < idleMs / 2

const takeSeat = (pool: Pool, entry: Entry, free: Seat | null): void => {
  try {
    const seat = free ?? openSeat(pool)
    seat.entry = entry
    entry.seat = seat
    seat.worker.hold(true)
    if (seat.isReady) begin(pool, seat, entry)
  } catch (error) {
    entry.settle(new Error('no process could be started to judge a run', { cause: error }))
  }
}

const openSeat = (pool: Pool): Seat => {
  const worker = startWorker(
    { execPath: pool.execPath, ...pool.budget },
    {
      onAnswer: (answer) => onAnswer(pool, seat, answer),
      onEnd: (why) => onEnd(pool, seat, why),
    },
  )
  const seat: Seat = { worker, entry: null, isReady: false, idleSince: 0, begin: null }
  pool.seats.add(seat)
  return seat
}

const begin = (pool: Pool, seat: Seat, entry: Entry): void => {
  const { worker } = seat
  entry.cancelTimer()
  seat.begin = { cpuMs: worker.cpuMs() ?? 0, at: pool.clock.monotonic() }
  worker.send(entry.packed)
  // What is on its way needs no second place in memory.
  entry.packed = { json: new Uint8Array(0), bodies: [] }
  watch(pool, seat, entry)
}

/** CPU time never passes faster than time: nothing can be over before as much of that has passed as is left. */
const watch = (pool: Pool, seat: Seat, entry: Entry): void => {
  const { cpuMs, wallMs } = useOf(pool, seat)
  const left = Math.min(entry.cpuMs - cpuMs, longestWorkMs - wallMs)
  if (cpuMs >= entry.cpuMs) entry.settle('out-of-time')
  else if (left <= 0) entry.settle('starved')
  else entry.cancelTimer = pool.clock.at(Math.max(shortestWatchMs, left), () => watch(pool, seat, entry))
}

const shortestWatchMs = 20

/** Where the system does not tell the CPU time of others, time stands for it. */
const useOf = ({ clock }: Pool, { begin, worker }: Seat): { cpuMs: number; wallMs: number } => {
  if (begin === null) return { cpuMs: 0, wallMs: 0 }
  const wallMs = clock.monotonic() - begin.at
  const now = worker.cpuMs()
  return { cpuMs: now === null ? wallMs : now - begin.cpuMs, wallMs }
}

const onAnswer = (pool: Pool, seat: Seat, answer: JudgingAnswer): void => {
  const { entry } = seat
  if (answer.kind !== 'ready') entry?.onAnswer(answer)
  else if (seat.begin !== null) entry?.settle('done')
  else {
    seat.isReady = true
    if (entry !== null) begin(pool, seat, entry)
  }
}

/** Its process goes on only when it is done with the task, and not for ever. */
const leaveSeat = (pool: Pool, entry: Entry, isDone: boolean): { cpuMs: number; wallMs: number } => {
  const { seat } = entry
  if (seat === null) return { cpuMs: 0, wallMs: 0 }
  const use = useOf(pool, seat)
  pool.queue.charge(entry.key, use.cpuMs)
  entry.seat = null
  seat.entry = null
  seat.begin = null
  seat.idleSince = pool.clock.monotonic()
  seat.worker.hold(false)
  if (isDone && (seat.worker.cpuMs() ?? 0) < workerLifeCpuMs) return use
  seat.isReady = false
  seat.worker.kill()
  return use
}

const onEnd = (pool: Pool, seat: Seat, why: WorkerEnd): void => {
  const { entry } = seat
  pool.seats.delete(seat)
  seat.isReady = false
  if (entry === null) fill(pool)
  else if (why === 'idle') entry.settle(new Error('a process that judges ended in the middle of its task'))
  else entry.settle(why)
}
