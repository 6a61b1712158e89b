/**
 * The background loops' motor: each loop on its own, never overlapping itself; an error is logged and the loop goes on;
 * the signal ends all of them. Tests never start loops: they call a loop's `tick(app)`.
 */
import type { App } from '../app.ts'
import { storeTrouble } from '../database/store-trouble.ts'
import { sleepUnlessWoken } from './sleep-unless-woken.ts'

export type Loop = {
  name: string
  /** From the end of one tick to the start of the next. */
  intervalMs: number
  /** A wake-up that ends the wait between two ticks. */
  wakeOn?: string
  /** The signal asks a tick that works for long to come to its end. */
  tick(app: App, signal: AbortSignal): Promise<void>
}

const troubleEveryMs = 60_000

/** Resolves when the signal has aborted and every tick in progress has ended. */
export const runLoops = async (app: App, loops: readonly Loop[], signal: AbortSignal): Promise<void> => {
  await Promise.all(loops.map((loop) => runLoop(app, loop, signal)))
}

const runLoop = async (app: App, loop: Loop, signal: AbortSignal): Promise<void> => {
  const { name, intervalMs, wakeOn, tick } = loop
  let quietUntil = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    const wakeup = wakeOn === undefined ? null : app.wakeups.listen(wakeOn)
    try {
      await tick(app, signal)
    } catch (error) {
      const now = app.clock.monotonic()
      const isKnown = storeTrouble(error) !== null
      if (!isKnown || now >= quietUntil)
        app.log.error({ err: error, loop: name }, 'A background loop failed; it goes on')
      // A store in trouble fails every loop at every turn: each says it once in a while.
      if (isKnown && now >= quietUntil) quietUntil = now + troubleEveryMs
    }
    await sleepUnlessWoken(app.clock, intervalMs, { signal, woken: wakeup?.woken })
    wakeup?.stop()
  }
}
