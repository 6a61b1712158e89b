import type { App } from '../../platform/app/app.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'

type Wait = {
  name: string
  waitMs: number
  signal: AbortSignal
  /** Who asks again at once looks by that: a wait that ends with nothing is not looked at for a last time. */
  asksAgain?: boolean
}

/** Where several control planes share a store, what is looked for may appear without a wake-up in this process. */
const lookAgainMs = 500

/** Without a reason of its own an abort makes an exception with a stack: too expensive for what happens at every poll. */
const over = new Error('The wait is over')

/**
 * A long poll: looks, and looks again at each wake-up of `name`, until something is found, `waitMs` are over or the
 * signal aborts (then undefined).
 */
export const lookUntil = async <T>(
  app: App & HasWakeups,
  { name, waitMs, signal, asksAgain = false }: Wait,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> => {
  const until = app.clock.monotonic() + waitMs
  for (;;) {
    const listener = app.wakeups.listen(name)
    const done = new AbortController()
    const stop = (): void => done.abort(over)
    signal.addEventListener('abort', stop)
    try {
      const found = await look()
      const leftMs = until - app.clock.monotonic()
      if (found !== undefined || leftMs <= 0 || signal.aborted) return found
      const sleepMs = app.db.engine.shared ? Math.min(leftMs, lookAgainMs) : leftMs
      const late = app.clock.sleep(sleepMs, done.signal).then(() => true)
      const isLate = await Promise.race([listener.woken.then(() => false), late])
      if (asksAgain && isLate && sleepMs === leftMs) return undefined
    } finally {
      signal.removeEventListener('abort', stop)
      stop()
      listener.stop()
    }
  }
}
