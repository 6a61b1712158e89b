import type { Clock } from '../../../../protocol/clock.ts'

/**
 * Who waits for something to change under a name (work to do, the end of a session), in this process. A wake-up
 * only saves time: where several control planes share a store, a waiter also looks again by itself.
 */
type Wakeups = {
  /** Hears every wake-up from now on; begin before looking, so that none falls in between. */
  listen(name: string): { woken: Promise<void>; stop(): void }
  wake(name: string): void
}

export const createWakeups = (): Wakeups => {
  const listening = new Map<string, Set<() => void>>()
  return {
    listen: (name) => {
      const { promise: woken, resolve } = Promise.withResolvers<void>()
      const others = listening.get(name) ?? new Set()
      listening.set(name, others.add(resolve))
      const stop = (): void => {
        others.delete(resolve)
        if (others.size === 0 && listening.get(name) === others) listening.delete(name)
      }
      return { woken, stop }
    },
    wake: (name) => {
      for (const resolve of listening.get(name) ?? []) resolve()
    },
  }
}

/** Wakes who waits for a name in this process. */
export type HasWakeups = { wakeups: Wakeups }

/** Without a reason of its own an abort makes an exception with a stack. */
const sleptEnough = new Error('The wait is over')

type Ends = { signal: AbortSignal; woken: Promise<void> | undefined }

/** Resolves after `ms`, or earlier when woken or aborted. */
export const sleepUnlessWoken = async (clock: Clock, ms: number, { signal, woken }: Ends): Promise<void> => {
  if (woken === undefined) return clock.sleep(ms, signal)
  const enough = new AbortController()
  const slept = clock.sleep(ms, AbortSignal.any([signal, enough.signal]))
  await Promise.race([woken, slept])
  enough.abort(sleptEnough)
}
