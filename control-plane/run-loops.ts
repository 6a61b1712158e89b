/**
 * The background loops' motor: each loop on its own, never overlapping itself; an error is logged and the loop goes on;
 * the signal ends all of them. Tests never start loops: they call a loop's `tick(app)`.
 */
import type { App } from './app.ts'

export type Loop = {
  name: string
  /** From the end of one tick to the start of the next. */
  intervalMs: number
  tick(app: App): Promise<void>
}

/** Resolves when the signal has aborted and every tick in progress has ended. */
export const runLoops = async (app: App, loops: readonly Loop[], signal: AbortSignal): Promise<void> => {
  await Promise.all(loops.map((loop) => runLoop(app, loop, signal)))
}

const runLoop = async (app: App, { name, intervalMs, tick }: Loop, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    try {
      await tick(app)
    } catch (error) {
      app.log.error({ err: error, loop: name }, 'A background loop failed; it goes on')
    }
    await app.clock.sleep(intervalMs, signal)
  }
}
