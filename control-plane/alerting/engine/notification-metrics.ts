import { Counter, Gauge } from 'prom-client'
import type { App } from '../../platform/app.ts'
import { outboxDepth } from '../notifications/outbox-queries.ts'

export type Outcome = 'delivered' | 'retried' | 'paused' | 'dead'

export type NotificationMetrics = { count(type: string, outcome: Outcome): void }

const triesName = 'watchpost_notification_tries_total'

/** Made at the first use; the same of one registry ever after. No tenant shows in them. */
export const notificationMetrics = (app: App): NotificationMetrics => {
  const known = app.metrics.getSingleMetric(triesName) as Counter<'type' | 'outcome'> | undefined
  const tries = known ?? register(app)
  return { count: (type, outcome) => tries.inc({ type, outcome }) }
}

const register = (app: App): Counter<'type' | 'outcome'> => {
  const registers = [app.metrics]
  const age = new Gauge({
    name: 'watchpost_notifications_oldest_age_seconds',
    help: 'Age of the notification that has been waiting for longest; 0 when none waits',
    registers,
  })
  new Gauge({
    name: 'watchpost_notifications_waiting',
    help: 'Notifications that are not finished: waiting, on their way, or to be tried again',
    registers,
    async collect() {
      const { depth = 0, oldest_at = null } = (await app.db.get(outboxDepth, {})) ?? {}
      this.set(depth)
      age.set(oldest_at === null ? 0 : Math.max(0, app.clock.now() - oldest_at) / 1000)
    },
  })
  return new Counter({
    name: triesName,
    help: 'Tries to deliver a notification, by type of channel and outcome',
    labelNames: ['type', 'outcome'],
    registers,
  })
}
