/**
 * Waits until whoever finds nothing left to do calls the wakers in `idle`, or the signal aborts. They are called each time, and
 * each forgets itself.
 */
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
