import type { App } from '../../platform/app/app.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { channels } from '../channels/index.ts'
import { outboxDepth } from './outbox-queries.ts'

const outcomes = ['delivered', 'retried', 'paused', 'dead'] as const
export type Outcome = (typeof outcomes)[number]

/** Has `/metrics` show what waits in the outbox, from the first call on. */
export const watchOutbox = perApp((app: App & HasMetrics) => {
  // A series that begins with its first event hides that one from `increase`.
  for (const type of Object.keys(channels))
    for (const outcome of outcomes) app.metrics.notificationAttempts.inc({ type, outcome }, 0)
  app.metrics.watchNotifications(() => levels(app))
})

/** Without a store the other metrics are wanted all the more: only these stay away. */
const levels = async (app: App): Promise<{ waiting: number; oldestAgeSeconds: number } | null> => {
  try {
    const { depth = 0, oldest_at = null } = (await app.db.get(outboxDepth, {})) ?? {}
    const oldestAgeSeconds = oldest_at === null ? 0 : Math.max(0, app.clock.now() - oldest_at) / 1000
    return { waiting: depth, oldestAgeSeconds }
  } catch (error) {
    app.log.warn({ err: error }, 'The outbox could not be read for the metrics')
    return null
  }
}
