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

type Job<Answer> = { resolve(answer: Answer): void; reject(reason: unknown): void }

/** `program` posts one message when it is ready, then one for each that it gets. */
export const startThread = <Task, Answer>(program: URL, limits: ThreadLimits): Thread<Task, Answer> => {
  const worker = newWorker(program, limits)
  let current: Job<Answer> | null = null
  let hasEnded = false
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
      resolve()
    })
  })
  worker.on('error', (error) => fail(outOfMemory(error) ?? error))
  worker.on('exit', () => fail(new Error('The thread has ended')))
  worker.unref()

  const run = async (task: Task): Promise<Answer> => {
    if (hasEnded) throw new Error('The thread has ended')
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const job = { resolve, reject }
    current = job
    worker.ref()
    const overrun = (what: string): void => {
      if (job !== current) return
      fail(new ThreadOverrunError(what))
      void worker.terminate()
    }
    void watch({ worker, ready, limits, overrun, isOver: () => job !== current })
    ready.then(() => worker.postMessage(task)).catch(reject)
    return promise
  }
  const end = async (): Promise<void> => {
    fail(new Error('The thread was ended'))
    await worker.terminate()
  }
  return { run, end, hasEnded: () => hasEnded }
}

/** Nothing of this process: neither its environment nor what it was started with. */
const newWorker = (program: URL, { memoryMb }: ThreadLimits): Worker =>
  new Worker(program, {
    env: {},
    // Node's parser of TypeScript, which threads may use, says at its first use that it is experimental.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  })

const outOfMemory = (error: unknown): ThreadOverrunError | null =>
  (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new ThreadOverrunError('too much memory', error)
    : null

type Watched = {
  worker: Worker
  ready: Promise<void>
  limits: ThreadLimits
  isOver(): boolean
  overrun(what: string): void
}

/** The start of the thread is not the task's: its processor time counts from when it was first looked at after that. */
const watch = async ({ worker, ready, limits, isOver, overrun }: Watched): Promise<void> => {
  let isReady = false
  let before: number | null = null
  ready.then(() => {
    isReady = true
  })
  const judge = ({ user, system }: NodeJS.CpuUsage): void => {
    const usedMs = (user + system) / 1000
    before ??= usedMs
    if (usedMs - before > limits.cpuMs) overrun('too much processor time')
  }
  for (let passedMs = 0; !isOver(); passedMs += lookEveryMs) {
    if (passedMs > limits.wallMs) overrun('too much time')
    // A thread that has ended has no time; its end is told elsewhere.
    else if (isReady && passedMs > 0) worker.cpuUsage().then(judge, () => undefined)
    await pause(lookEveryMs)
  }
}
