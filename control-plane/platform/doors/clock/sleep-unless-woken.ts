import type { Clock } from '../../../../protocol/clock.ts'

type Ends = { signal: AbortSignal; woken: Promise<void> | undefined }

/** Resolves after `ms`, or earlier when woken or aborted. */
export const sleepUnlessWoken = async (clock: Clock, ms: number, { signal, woken }: Ends): Promise<void> => {
  if (woken === undefined) return clock.sleep(ms, signal)
  const enough = new AbortController()
  const slept = clock.sleep(ms, AbortSignal.any([signal, enough.signal]))
  await Promise.race([woken, slept])
  enough.abort()
}
