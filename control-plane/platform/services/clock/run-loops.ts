/**
 * The background loops' motor: each loop on its own, never overlapping itself; an error is logged and the loop goes on;
 * the signal ends all of them. Tests never start loops: they call a loop's `tick(app)`.
 */
import type { App } from '../../app/app.ts'
import { newerStore } from '../../app/newer-store.ts'
import { reportStoreError } from '../../app/report-store-error.ts'
import { loopWatch, standsStillAfterMs } from './loop-watch.ts'
import { type HasWakeups, sleepUnlessWoken } from './wakeups.ts'

export type Loop<A extends App = App> = {
  name: string
  /** From the end of one tick to the start of the next. */
  intervalMs: number
  /** A wake-up that ends the wait between two ticks. */
  wakeOn?: string
  /** The signal asks a tick that works for long to come to its end. */
  tick: (app: A, signal: AbortSignal) => Promise<void>
}

/**
 * A loop that rests as long as the store is that of a newer program, which has a loop of its own for the same work: what this
 * one does not know it could only misjudge.
 */
export const unlessNewerStore = <A extends App>(loop: Loop<A>): Loop<A> => ({
  ...loop,
  tick: async (app, signal) => {
    if (newerStore(app) === null) await loop.tick(app, signal)
  },
})

const sayStandstillEveryMs = 30_000
/** Before a loop counts as stalled still. */
const tickDeadlineMs = 45_000

/** Resolves when the signal has aborted and every tick in progress has ended. */
export const runLoops = async <A extends App & HasWakeups>(
  app: A,
  loops: readonly Loop<A>[],
  signal: AbortSignal,
): Promise<void> => {
  await Promise.all([...loops.map((loop) => runLoop(app, loop, signal)), sayStandstills(app, signal)])
}

const runLoop = async <A extends App & HasWakeups>(
  app: A,
  loop: Loop<A>,
  signal: AbortSignal,
): Promise<void> => {
  const { name, intervalMs, wakeOn } = loop
  const watch = loopWatch(app)
  watch.begin(name, intervalMs)
  while (!signal.aborted) {
    const wakeup = wakeOn === undefined ? null : app.wakeups.listen(wakeOn)
    try {
      await tickInTime(app, loop, signal)
      watch.completed(name)
    } catch (error) {
      // A store that fails stops every loop at every turn: it is said once in a while for all of them.
      if (reportStoreError(app)(error) === null) {
        watch.completed(name)
        app.log.error({ err: error, loop: name }, 'A background loop failed; it goes on')
      }
    }
    await sleepUnlessWoken(app.clock, intervalMs, { signal, woken: wakeup?.woken })
    wakeup?.stop()
  }
  watch.end(name)
}

/** Without a reason of its own an abort makes an exception with a stack, at every tick of every loop. */
const tickOver = new Error('The tick is over')

/** A tick that works for too long is asked to come to its end: what is left is the next one's. */
const tickInTime = async <A extends App>(app: A, { tick }: Loop<A>, signal: AbortSignal): Promise<void> => {
  const ending = new AbortController()
  const end = (): void => ending.abort(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  const ticked = new AbortController()
  void app.clock.sleep(tickDeadlineMs, ticked.signal).then(() => {
    if (!ticked.signal.aborted) ending.abort(new Error('a tick takes too long'))
  })
  try {
    await tick(app, ending.signal)
  } finally {
    ticked.abort(tickOver)
    signal.removeEventListener('abort', end)
  }
}

const sayStandstills = async (app: App, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const stalled = loopWatch(app).stalled()
    if (stalled.length > 0)
      app.log.error(
        { loops: stalled },
        `Background loops stand still for more than ${standsStillAfterMs / 1000} s: readiness says so until they go on`,
      )
    await app.clock.sleep(sayStandstillEveryMs, signal)
  }
}
