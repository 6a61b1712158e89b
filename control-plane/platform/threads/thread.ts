/**
 * One worker thread for work on what users sent. Its limits are held from outside: the processor time is read and the
 * thread ended by this one, its memory is bounded by V8. A thread that is ended takes its task along and nothing else.
 */
import { Worker } from 'node:worker_threads'

export type ThreadLimits = {
  /** Of one task: processor time, and the time that passes. */
  cpuMs: number
  wallMs: number
  memoryMb: number
}

/** The task took more than its thread may. */
export class ThreadOverrunError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'ThreadOverrunError'
  }
}

export type Thread<Task, Answer> = {
  /** One at a time. @throws ThreadOverrunError, or what the thread itself threw */
  run(task: Task): Promise<Answer>
  /** Resolves when there is nothing left of it. */
  end(): Promise<void>
  hasEnded(): boolean
}

const lookEveryMs = 100

/** Timers that hold no program back: a thread at work does. */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    AbortSignal.timeout(ms).addEventListener('abort', () => resolve(), { once: true })
  })

type Job<Answer> = {
  resolve(answer: Answer): void
  reject(reason: unknown): void
  looks: number
  /** The thread's processor time when it was first looked at. */
  cpuMs: number | null
}

/** `program` posts one message when it is ready, then one for each that it gets. */
export const startThread = <Task, Answer>(program: URL, limits: ThreadLimits): Thread<Task, Answer> => {
  // Nothing of this process: neither its environment nor what it was started with.
  const worker = new Worker(program, {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  })
  let current: Job<Answer> | null = null
  let hasEnded = false
  let isReady = false
  const settle = (act: (job: Job<Answer>) => void): void => {
    const job = current
    current = null
    worker.unref()
    if (job !== null) act(job)
  }
  const fail = (reason: unknown): void => {
    hasEnded = true
    settle((job) => job.reject(reason))
  }
  const ready = new Promise<void>((resolve) => {
    worker.once('message', () => {
      worker.on('message', (answer: Answer) => settle((job) => job.resolve(answer)))
      isReady = true
      resolve()
    })
  })
  worker.on('error', (error: NodeJS.ErrnoException) =>
    fail(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadOverrunError('too much memory', error) : error,
    ),
  )
  worker.on('exit', () => fail(new Error('The thread has ended')))
  const overrun = (what: string): void => {
    fail(new ThreadOverrunError(what))
    void worker.terminate()
  }
  const look = (job: Job<Answer>): void => {
    job.looks += 1
    if (job.looks * lookEveryMs > limits.wallMs) return overrun('too much time')
    // Its own start is not the task's.
    if (!isReady) return
    worker.cpuUsage().then(
      ({ user, system }) => {
        const usedMs = (user + system) / 1000
        job.cpuMs ??= usedMs
        if (job === current && usedMs - job.cpuMs > limits.cpuMs) overrun('too much processor time')
      },
      // It has ended, and its end has said so.
      () => undefined,
    )
  }
  const watch = async (job: Job<Answer>): Promise<void> => {
    for (await pause(lookEveryMs); job === current; await pause(lookEveryMs)) look(job)
  }
  worker.unref()
  return {
    run: (task) =>
      new Promise<Answer>((resolve, reject) => {
        if (hasEnded) throw new Error('The thread has ended')
        const job = { resolve, reject, looks: 0, cpuMs: null }
        current = job
        worker.ref()
        void watch(job)
        ready.then(() => worker.postMessage(task)).catch(reject)
      }),
    end: async () => {
      fail(new Error('The thread was ended'))
      await worker.terminate()
    },
    hasEnded: () => hasEnded,
  }
}
