/** Bounds how many do something at once. The others wait, in the order of their coming. */
export type Semaphore = {
  /** Resolves with true once there is a permit, with false when the signal aborts first. A permit is released once. */
  acquire(signal?: AbortSignal): Promise<boolean>
  release(): void
}

/** `permits`: how many may do it at once. */
export const createSemaphore = (permits: number): Semaphore => {
  const waiting = new Set<() => void>()
  let free = permits
  return {
    acquire: (signal) => {
      if (signal?.aborted === true) return Promise.resolve(false)
      if (free === 0) return waitForPermit(waiting, signal)
      free -= 1
      return Promise.resolve(true)
    },
    release: () => {
      // The permit goes on to the first in line, so that nobody overtakes.
      const [next] = waiting
      if (next === undefined) free += 1
      else next()
    },
  }
}

/** Work that fails gives its permit on, too. */
export const withPermit = async <T>(semaphore: Semaphore, work: () => Promise<T>): Promise<T> => {
  await semaphore.acquire()
  try {
    return await work()
  } finally {
    semaphore.release()
  }
}

const waitForPermit = (waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<boolean> =>
  new Promise((resolve) => {
    const settle = (acquired: boolean): void => {
      waiting.delete(enter)
      signal?.removeEventListener('abort', giveUp)
      resolve(acquired)
    }
    const enter = (): void => settle(true)
    const giveUp = (): void => settle(false)
    signal?.addEventListener('abort', giveUp)
    waiting.add(enter)
  })

/** Waits until somebody calls the wakers in `idle`, or the signal aborts. */
export const untilIdle = (idle: Set<() => void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wake = (): void => {
      idle.delete(wake)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    idle.add(wake)
    if (signal.aborted) wake()
    else signal.addEventListener('abort', wake)
  })
