import type { App } from '../../platform/app/app.ts'
import { counter, type HasMetrics, histogram } from '../../platform/app/metrics.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { scrapedGauges } from '../../platform/app/scraped-gauges.ts'
import { channels } from '../channels/index.ts'
import { outboxDepth } from './outbox-queries.ts'

const outcomes = ['delivered', 'retried', 'paused', 'dead'] as const
export type Outcome = (typeof outcomes)[number]

export const notificationMetrics = {
  attempts: counter({
    name: 'watchpost_notification_attempts_total',
    help: 'Attempts to deliver a notification, by type of channel and outcome',
    labels: ['type', 'outcome'],
    zeros: Object.keys(channels).flatMap((type) => outcomes.map((outcome) => ({ type, outcome }))),
  }),
  seconds: histogram({
    name: 'watchpost_notification_seconds',
    help: 'Time from the event to the delivery of its notification, by type of channel; only of those that were delivered',
    labels: ['type'],
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
  }),
  levels: scrapedGauges({
    waiting: [
      'watchpost_notifications_waiting',
      'Notifications that are not finished: waiting, on their way, or to be tried again',
    ],
    oldestAgeSeconds: [
      'watchpost_notifications_oldest_age_seconds',
      'Age of the notification that has been waiting for longest; 0 when none waits',
    ],
  }),
}

/** Has `/metrics` show what waits in the outbox, from the first call on. */
export const watchOutbox = perApp((app: App & HasMetrics) => {
  notificationMetrics.levels(app)(() => levels(app))
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
