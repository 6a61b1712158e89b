/**
 * Who waits for jobs in which location, in this process. A wake-up only saves time: a waiter also looks again when its
 * wait is over, so that nothing depends on having been woken (another control plane may have made the job).
 */
export type Wakeups = {
  /** Resolves `true` when the location is woken and `false` when the signal aborts. */
  wait(location: string, signal: AbortSignal): Promise<boolean>
  wake(location: string): void
}

export const createWakeups = (): Wakeups => {
  const waiting = new Map<string, Set<(woken: boolean) => void>>()
  return {
    wait: (location, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false)
        const others = waiting.get(location) ?? new Set()
        waiting.set(location, others)
        const settle = (woken: boolean) => {
          signal.removeEventListener('abort', onAbort)
          others.delete(settle)
          if (others.size === 0 && waiting.get(location) === others) waiting.delete(location)
          resolve(woken)
        }
        const onAbort = () => settle(false)
        signal.addEventListener('abort', onAbort, { once: true })
        others.add(settle)
      }),
    wake: (location) => {
      for (const settle of [...(waiting.get(location) ?? [])]) settle(true)
    },
  }
}
