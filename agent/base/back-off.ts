import type { Clock } from '../../protocol/clock.ts'

const firstMs = 500
const longestMs = 30_000
/** Agents that learn at one moment that the control plane is back do not all come in that moment. */
const wakeSpreadMs = 1000

/**
 * How long to wait after a number of failures in a row, in milliseconds: doubling from half a second to half a minute,
 * of which a random half is kept, so that agents that failed together do not come back together.
 */
export const backOffMs = (failures: number, random: number): number => {
  const ceiling = Math.min(longestMs, firstMs * 2 ** Math.min(20, Math.max(0, failures - 1)))
  return Math.round(ceiling / 2 + (ceiling / 2) * random)
}

/** The waits between tries that fail, which are over early once somebody has seen that a try may succeed. */
export type BackOff = {
  /** After a failure: `retryAfterMs` is the least that the other side asks for. Resolves early when the signal aborts. */
  wait(retryAfterMs: number, signal: AbortSignal): Promise<void>
  /** A try got somewhere: the next wait is a short one. */
  reset(): void
  /** Ends the wait that is under way, or else the next one, within a second. */
  wake(): void
}

type BackOffIo = { clock: Clock; random(): number }

export const createBackOff = ({ clock, random }: BackOffIo): BackOff => {
  let failures = 0
  let woken = new AbortController()
  return {
    wait: async (retryAfterMs, signal) => {
      failures += 1
      const readyAt = clock.monotonic() + retryAfterMs
      const waitMs = Math.max(retryAfterMs, backOffMs(failures, random()))
      await clock.sleep(waitMs, AbortSignal.any([signal, woken.signal]))
      if (!woken.signal.aborted) return
      woken = new AbortController()
      failures = 0
      await clock.sleep(Math.max(readyAt - clock.monotonic(), wakeSpreadMs * random()), signal)
    },
    reset: () => {
      failures = 0
      woken = new AbortController()
    },
    wake: () => woken.abort(),
  }
}
