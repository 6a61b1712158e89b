/**
 * Every number of the control plane that `/metrics` shows, by name, help and labels. Slices feed those that are theirs.
 * No tenant data: no names, ids, addresses or check configuration in any label. docs/metrics.md lists them all.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  registry: Registry
  requests: Counter<'method' | 'route' | 'status'>
  requestSeconds: Histogram<'route'>
  notificationTries: Counter<'type' | 'outcome'>
  storeStatementSeconds: Histogram<'kind'>
  /** Seconds of each time that the event loop stood. */
  stalls: Histogram
  retentionRows: Counter<'kind' | 'reason'>
  retentionOldestAge: Gauge<'kind'>
  retentionCompletedAt: Gauge
  storeGivenBack: Counter
  /** `part`: `used` by rows, or `free` for those to come. */
  storeBytes: Gauge<'part'>
  rollupsFolded: Counter
  rollupsRecounted: Counter
  rollupsLag: Gauge
  /** ReadLevels at the moment of a scrape, by the last `read` that was named; null: it could not be read. */
  watchNotifications(read: () => Promise<NotificationLevels | null>): void
}

export type NotificationLevels = { waiting: number; oldestAgeSeconds: number }

const notificationLevels: Record<keyof NotificationLevels, [name: string, help: string]> = {
  waiting: [
    'watchpost_notifications_waiting',
    'Notifications that are not finished: waiting, on their way, or to be tried again',
  ],
  oldestAgeSeconds: [
    'watchpost_notifications_oldest_age_seconds',
    'Age of the notification that has been waiting for longest; 0 when none waits',
  ],
}

export const createMetrics = (): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
    requests: new Counter({
      name: 'watchpost_http_requests_total',
      help: 'Answered HTTP requests',
      // The pattern of the route, never the address: ids would make a series each.
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'watchpost_http_request_duration_seconds',
      help: 'Time from the first byte of a request to its answer; long polls included',
      labelNames: ['route'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
      registers,
    }),
    notificationTries: new Counter({
      name: 'watchpost_notification_tries_total',
      help: 'Tries to deliver a notification, by type of channel and outcome',
      labelNames: ['type', 'outcome'],
      registers,
    }),
    storeStatementSeconds: new Histogram({
      name: 'watchpost_store_statement_seconds',
      help: 'Time of each statement of the store by kind: read, write, commit. With SQLite nothing else is done meanwhile',
      labelNames: ['kind'],
      buckets: [0.0001, 0.0005, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.5],
      registers,
    }),
    stalls: new Histogram({
      name: 'watchpost_event_loop_stall_seconds',
      help: 'How long the event loop stood, each time that it did for over 50 ms',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
    ...retentionMetrics(registers),
    ...rollupMetrics(registers),
    watchNotifications: createLevels(registry, notificationLevels),
  }
}

type RetentionMetrics = Pick<
  Metrics,
  'retentionRows' | 'retentionOldestAge' | 'retentionCompletedAt' | 'storeGivenBack' | 'storeBytes'
>

const retentionMetrics = (registers: Registry[]): RetentionMetrics => ({
  retentionRows: new Counter({
    name: 'watchpost_retention_rows_total',
    help: 'Rows that retention removed (of details: shortened), by kind and reason: age, or size where STORE_MAX_GB was passed',
    labelNames: ['kind', 'reason'],
    registers,
  }),
  retentionOldestAge: new Gauge({
    name: 'watchpost_retention_oldest_age_seconds',
    help: 'Age of the oldest row of a kind at the end of the last turn of retention; 0 when there is none',
    labelNames: ['kind'],
    registers,
  }),
  retentionCompletedAt: new Gauge({
    name: 'watchpost_retention_last_success_timestamp_seconds',
    help: 'When retention last got through all kinds in this process; 0: not yet',
    registers,
  }),
  storeGivenBack: new Counter({
    name: 'watchpost_store_given_back_bytes_total',
    help: 'Bytes by which retention made the file of an embedded store smaller',
    registers,
  }),
  storeBytes: new Gauge({
    name: 'watchpost_store_bytes',
    help: 'Size of the store at the last turn of retention by part: used by rows, or free for new ones',
    labelNames: ['part'],
    registers,
  }),
})

type RollupMetrics = Pick<Metrics, 'rollupsFolded' | 'rollupsRecounted' | 'rollupsLag'>

const rollupMetrics = (registers: Registry[]): RollupMetrics => ({
  rollupsFolded: new Counter({
    name: 'watchpost_rollups_folded_hours_total',
    help: 'Hours of checks with results that were counted into rollups, an hour of each check being one',
    registers,
  }),
  rollupsRecounted: new Counter({
    name: 'watchpost_rollups_recounted_hours_total',
    help: 'Hours of checks that were counted again, because results came in after their hour was counted',
    registers,
  }),
  rollupsLag: new Gauge({
    name: 'watchpost_rollups_lag_seconds',
    help: 'Time since the end of what is counted into rollups: up to an hour and five minutes where nothing waits',
    registers,
  }),
})

/** Adds the numbers of the process and of Node. Only for programs: what observes them ends with the process alone. */
export const collectProcessMetrics = ({ registry }: Metrics): void =>
  collectDefaultMetrics({ register: registry })

/** Gauges that show what one reading returns. A scrape reads once for all of them; without a value they are empty. */
const createLevels = <K extends string>(
  registry: Registry,
  declared: Record<K, [name: string, help: string]>,
) => {
  type ReadLevels = () => Promise<Record<K, number> | null>
  let read: ReadLevels = async () => null
  let reading: ReturnType<ReadLevels> | undefined
  const readOnce: ReadLevels = () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
  for (const [key, [name, help]] of Object.entries<[string, string]>(declared)) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: async () => {
        const levels = await readOnce()
        if (levels === null) gauge.remove()
        else gauge.set(levels[key as K])
      },
    })
  }
  return (next: ReadLevels): void => {
    read = next
  }
}
