/**
 * Which background loops get on with their work. One whose tick does not end, or fails every time because the store
 * cannot be used, stands still: nothing is planned, swept or told meanwhile, though the process is alive and its API answers.
 */

import type { App } from '../../app/app.ts'
import type { HasMetrics } from '../../app/metrics.ts'
import { perApp } from '../../app/per-app.ts'
import { scrapedGauges } from '../../app/scraped-gauges.ts'

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

export const loopMetrics = {
  levels: scrapedGauges({
    stalled: [
      'watchpost_loop_stalled',
      '1 for each background loop that has not got through a turn for over a minute beyond its interval, else 0',
      'loop',
    ],
  }),
}

/** Has `/metrics` show them. */
export const watchLoops = (app: App & HasMetrics): void =>
  loopMetrics.levels(app)(async () => {
    const { names, stalled } = loopWatch(app)
    const stood = new Set(stalled())
    return { stalled: names().map((loop) => ({ labels: { loop }, value: stood.has(loop) ? 1 : 0 })) }
  })
