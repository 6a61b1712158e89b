/**
 * Every number of the control plane that `/metrics` shows, by name, help and labels. Slices feed those that are theirs.
 * No tenant data but the slugs of locations: no names, ids, addresses or check configuration in any label. docs/metrics.md
 * lists them all.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type RunMetrics, runMetrics } from './run-metrics.ts'
import { type GaugeDeclaration, type ReadLevels, scrapedGauges } from './scraped-gauges.ts'

export type Metrics = RunMetrics & {
  registry: Registry
  /** 1, with what runs here as its labels. */
  buildInfo: Gauge<'version' | 'revision' | 'node'>
  requests: Counter<'method' | 'route' | 'status'>
  requestSeconds: Histogram<'route'>
  notificationTries: Counter<'type' | 'outcome'>
  notificationSeconds: Histogram<'type'>
  storeStatementSeconds: Histogram<'kind'>
  /** Seconds of each time that the event loop stood. */
  stalls: Histogram
  retentionRows: Counter<'kind' | 'reason'>
  retentionOldestAge: Gauge<'kind'>
  retentionCompletedAt: Gauge
  storeGivenBack: Counter
  /** `part`: `used` by rows, or `free` for those to come. */
  storeBytes: Gauge<'part'>
  /** Bytes that STORE_MAX_GB allows. */
  storeLimit: Gauge<string>
  watchNotifications(read: ReadLevels<keyof typeof notificationLevels>): void
  watchQueues(read: ReadLevels<keyof typeof queueLevels>): void
  watchStoreFiles(read: ReadLevels<keyof typeof storeFileLevels>): void
  watchLoops(read: ReadLevels<keyof typeof loopLevels>): void
}

const notificationLevels = {
  waiting: [
    'watchpost_notifications_waiting',
    'Notifications that are not finished: waiting, on their way, or to be tried again',
  ],
  oldestAgeSeconds: [
    'watchpost_notifications_oldest_age_seconds',
    'Age of the notification that has been waiting for longest; 0 when none waits',
  ],
} as const satisfies Record<string, GaugeDeclaration>

const queueLevels = {
  waiting: [
    'watchpost_queue_jobs',
    'Jobs that are due and wait for an agent, by location and queue',
    'location',
    'queue',
  ],
  oldestAgeSeconds: [
    'watchpost_queue_oldest_age_seconds',
    'How long the longest of them has been due; 0 when none waits',
    'location',
    'queue',
  ],
  agents: ['watchpost_location_agents', 'Agents that were seen within the last two minutes', 'location'],
  absenceSeconds: [
    'watchpost_location_absence_seconds',
    'For how long checks have run in a private location without an agent; 0 with one, or without checks',
    'location',
  ],
  scheduleBehindSeconds: [
    'watchpost_schedule_behind_seconds',
    'How long the earliest due time that is not planned yet has passed; 0: due times are planned ahead, as they should',
  ],
} as const satisfies Record<string, GaugeDeclaration>

const storeFileLevels = {
  logBytes: ['watchpost_store_wal_bytes', 'Size of the write-ahead log of an embedded store'],
  volumeFreeBytes: [
    'watchpost_volume_free_bytes',
    'Free on the volume of a folder: store, of an embedded one, or data, for DATA_DIR',
    'folder',
  ],
  volumeBytes: ['watchpost_volume_size_bytes', 'Size of that volume', 'folder'],
} as const satisfies Record<string, GaugeDeclaration>

const loopLevels = {
  standing: [
    'watchpost_loop_standing',
    '1 for each background loop that has not got through a turn for over a minute beyond its interval, else 0',
    'loop',
  ],
} as const satisfies Record<string, GaugeDeclaration>

export const createMetrics = (): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
    buildInfo: new Gauge({
      name: 'watchpost_build_info',
      help: 'Always 1; its labels tell the version and revision that runs here, and the version of Node',
      labelNames: ['version', 'revision', 'node'],
      registers,
    }),
    ...runMetrics(registers),
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
    notificationSeconds: new Histogram({
      name: 'watchpost_notification_seconds',
      help: 'Time from the event to the delivery of its notification, by type of channel; only of those that were delivered',
      labelNames: ['type'],
      buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
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
    watchNotifications: scrapedGauges(registry, notificationLevels),
    watchQueues: scrapedGauges(registry, queueLevels),
    watchStoreFiles: scrapedGauges(registry, storeFileLevels),
    watchLoops: scrapedGauges(registry, loopLevels),
  }
}

type RetentionMetrics = Pick<
  Metrics,
  | 'retentionRows'
  | 'retentionOldestAge'
  | 'retentionCompletedAt'
  | 'storeGivenBack'
  | 'storeBytes'
  | 'storeLimit'
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
  storeLimit: new Gauge({
    name: 'watchpost_store_limit_bytes',
    help: 'Bytes that the rows of the store may take by STORE_MAX_GB; 0 without it',
    registers,
  }),
})

/** Adds the numbers of the process and of Node. Only for programs: what observes them ends with the process alone. */
export const collectProcessMetrics = ({ registry }: Metrics): void => {
  collectDefaultMetrics({ register: registry })
  for (const name of sums) registry.removeSingleMetric(name)
}

/** Gauges with the name of a counter, which `promtool check metrics` finds wrong; each is the sum of another metric. */
const sums = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']
