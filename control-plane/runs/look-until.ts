import type { App } from '../app.ts'

type Wait = { name: string; waitMs: number; signal: AbortSignal }

/** Where several control planes share a store, what is looked for may appear without a wake-up in this process. */
const lookAgainMs = 500

/**
 * A long poll: looks, and looks again at each wake-up of `name`, until something is found, `waitMs` are over or the
 * signal aborts (then undefined).
 */
export const lookUntil = async <T>(
  app: App,
  { name, waitMs, signal }: Wait,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> => {
  const until = app.clock.monotonic() + waitMs
  for (;;) {
    const listener = app.wakeups.listen(name)
    const done = new AbortController()
    try {
      const found = await look()
      const leftMs = until - app.clock.monotonic()
      if (found !== undefined || leftMs <= 0 || signal.aborted) return found
      const sleepMs = app.db.engine.shared ? Math.min(leftMs, lookAgainMs) : leftMs
      const late = app.clock.sleep(sleepMs, AbortSignal.any([signal, done.signal]))
      await Promise.race([listener.woken, late])
    } finally {
      done.abort()
      listener.stop()
    }
  }
}
