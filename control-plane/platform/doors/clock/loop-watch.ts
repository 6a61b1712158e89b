/**
 * Which background loops get on with their work. One whose tick does not end, or fails every time because the store is in
 * trouble, stands still: nothing is planned, swept or told meanwhile, though the process is alive and its API answers.
 */

import type { App } from '../../app/app.ts'
import type { HasMetrics } from '../../app/metrics.ts'
import { perApp } from '../../app/per-app.ts'

/** Longer than a tick ever takes on a store that is well, and than what one that is busy may cost. */
export const standsStillAfterMs = 60_000

type LoopAge = { intervalMs: number; completedAt: number }

export const loopWatch = perApp(({ clock }) => {
  const ages = new Map<string, LoopAge>()
  return {
    begin: (name: string, intervalMs: number): void => {
      ages.set(name, { intervalMs, completedAt: clock.monotonic() })
    },
    completed: (name: string): void => {
      const age = ages.get(name)
      if (age !== undefined) age.completedAt = clock.monotonic()
    },
    end: (name: string): void => {
      ages.delete(name)
    },
    names: (): string[] => [...ages.keys()],
    /** Names of those that have completed no tick for too long. */
    stalled: (): string[] => {
      const now = clock.monotonic()
      return [...ages]
        .filter(([, { intervalMs, completedAt }]) => now - completedAt > intervalMs + standsStillAfterMs)
        .map(([name]) => name)
    },
  }
})

/** Has `/metrics` show them. */
export const watchLoops = (app: App & HasMetrics): void =>
  app.metrics.watchLoops(async () => {
    const { names, stalled } = loopWatch(app)
    const stood = new Set(stalled())
    return { stalled: names().map((loop) => ({ labels: { loop }, value: stood.has(loop) ? 1 : 0 })) }
  })
