/**
 * A few threads for work on what users sent: started when there is work, ended when there has been none for a while.
 * Keys are served round robin, so that the work of one does not wait for all the work of another.
 */
import { createFairQueue } from '../../../protocol/fair-queue.ts'
import { pause, startThread, type Thread, type ThreadLimits } from './thread.ts'

/** There is as much of this key as may wait. */
export class QueueFullError extends Error {
  constructor() {
    super('Too much is waiting')
    this.name = 'QueueFullError'
  }
}

export type QueueKey = { key: string; maxWaiting?: number }

type ThreadPool<Task, Answer> = {
  /** @throws ThreadOverrunError, QueueFullError */
  run(task: Task, queueKey: QueueKey): Promise<Answer>
  /** For tests: how many threads there are. */
  size(): number
}

type PoolOptions = ThreadLimits & { program: URL; maxThreads: number; idleMs: number }

type Waiting<Task, Answer> = { key: string; task: Task; done: PromiseWithResolvers<Answer> }
type Slot<Task, Answer> = { thread: Thread<Task, Answer>; wasUsed: boolean }

export const createThreadPool = <Task, Answer>({
  program,
  maxThreads,
  idleMs,
  ...limits
}: PoolOptions): ThreadPool<Task, Answer> => {
  const queue = createFairQueue<Waiting<Task, Answer>>()
  const slots = new Set<Slot<Task, Answer>>()
  const free: Slot<Task, Answer>[] = []

  const work = async (slot: Slot<Task, Answer>): Promise<void> => {
    for (let next = queue.next(); next !== null; next = queue.next()) {
      slot.wasUsed = true
      await slot.thread.run(next.task).then(next.done.resolve, next.done.reject)
      if (slot.thread.hasEnded()) {
        slots.delete(slot)
        if (queue.size() > 0) start()
        return
      }
    }
    free.push(slot)
  }
  const endWhenIdle = async (slot: Slot<Task, Answer>): Promise<void> => {
    while (slot.wasUsed || !free.includes(slot)) {
      slot.wasUsed = false
      await pause(idleMs)
      if (!slots.has(slot)) return
    }
    free.splice(free.indexOf(slot), 1)
    slots.delete(slot)
    await slot.thread.end()
  }
  const start = (): void => {
    const slot = free.pop() ?? newSlot()
    if (slot === null) return
    if (!slot.thread.hasEnded()) return void work(slot)
    slots.delete(slot)
    start()
  }
  const newSlot = (): Slot<Task, Answer> | null => {
    if (slots.size >= maxThreads) return null
    const slot = { thread: startThread<Task, Answer>(program, limits), wasUsed: true }
    slots.add(slot)
    void endWhenIdle(slot)
    return slot
  }
  return {
    run: (task, { key, maxWaiting = Number.POSITIVE_INFINITY }) => {
      if (queue.waiting(key) >= maxWaiting) return Promise.reject(new QueueFullError())
      const done = Promise.withResolvers<Answer>()
      queue.add({ key, task, done })
      start()
      return done.promise
    },
    size: () => slots.size,
  }
}
