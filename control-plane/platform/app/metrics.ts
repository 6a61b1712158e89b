/**
 * Every number of the control plane that `/metrics` shows, by name, help and labels. Slices feed those that are theirs.
 * No tenant data but the slugs of locations: no names, ids, addresses or check configuration in any label. docs/metrics.md
 * lists them all.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import {
  type GaugeDeclaration,
  type Level,
  loopLevels,
  notificationLevels,
  queueLevels,
  type ReadLevels,
  storeFileLevels,
} from './metric-levels.ts'

export type Metrics = RunMetrics & {
  registry: Registry
  /** 1, with what runs here as its labels. */
  buildInfo: Gauge<'version' | 'revision' | 'node'>
  requests: Counter<'method' | 'route' | 'status'>
  requestSeconds: Histogram<'route'>
  notificationAttempts: Counter<'type' | 'outcome'>
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
  rollupsFolded: Counter<string>
  rollupsRecounted: Counter<string>
  rollupsLag: Gauge<string>
  /** Runs that OTLP's receiver does not hear of, wholly or in part. */
  otlpLostRuns: Counter<'reason'>
  otlpExports: Counter<'signal' | 'outcome'>
  /** Bytes that STORE_MAX_GB allows. */
  storeLimit: Gauge<string>
  watchNotifications(read: ReadLevels<keyof typeof notificationLevels>): void
  watchQueues(read: ReadLevels<keyof typeof queueLevels>): void
  watchStoreFiles(read: ReadLevels<keyof typeof storeFileLevels>): void
  watchLoops(read: ReadLevels<keyof typeof loopLevels>): void
}

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
    notificationAttempts: new Counter({
      name: 'watchpost_notification_attempts_total',
      help: 'Attempts to deliver a notification, by type of channel and outcome',
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
    ...otlpMetrics(registers),
    watchNotifications: scrapedGauges(registry, notificationLevels),
    watchQueues: scrapedGauges(registry, queueLevels),
    watchStoreFiles: scrapedGauges(registry, storeFileLevels),
    watchLoops: scrapedGauges(registry, loopLevels),
  }
}

const otlpMetrics = (registers: Registry[]): Pick<Metrics, 'otlpLostRuns' | 'otlpExports'> => ({
  otlpLostRuns: new Counter({
    name: 'watchpost_otlp_lost_runs_total',
    help: 'Runs that were not exported by OTLP, or not wholly, by reason: queue, series, spans, export, error (docs/monitoring/opentelemetry.md)',
    labelNames: ['reason'],
    registers,
  }),
  otlpExports: new Counter({
    name: 'watchpost_otlp_exports_total',
    help: 'Requests to the OTLP receiver, repetitions included in each, by signal (metrics, traces) and outcome (sent, failed)',
    labelNames: ['signal', 'outcome'],
    registers,
  }),
})

type RunMetrics = {
  missedRuns: Counter<'reason'>
  leasesExpired: Counter<string>
  reports: Counter<'outcome'>
  /** Reports of each request that brought some. */
  reportBatches: Histogram<string>
  claimLateness: Histogram<'queue'>
}

/** Runs on their way through the control plane. */
const runMetrics = (registers: Registry[]): RunMetrics => ({
  missedRuns: new Counter({
    name: 'watchpost_missed_runs_total',
    help: 'Due times that could not be run, by the reason that was known when they were given up',
    labelNames: ['reason'],
    registers,
  }),
  leasesExpired: new Counter({
    name: 'watchpost_leases_expired_total',
    help: 'Jobs that are offered again, since their agent did not renew its lease',
    registers,
  }),
  reports: new Counter({
    name: 'watchpost_reports_total',
    help: 'Results that agents reported, by what became of them: accepted, duplicate, stale, refused, later',
    labelNames: ['outcome'],
    registers,
  }),
  reportBatches: new Histogram({
    name: 'watchpost_report_batch_size',
    help: 'Results in one request of an agent',
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000],
    registers,
  }),
  claimLateness: new Histogram({
    name: 'watchpost_claim_lateness_seconds',
    help: 'How late a job was handed to an agent after its due time, by queue; 0: ahead of it, as it should',
    labelNames: ['queue'],
    buckets: [0, 0.1, 0.5, 1, 2.5, 5, 15, 60, 300],
    registers,
  }),
})

type RetentionMetrics = Pick<
  Metrics,
  | 'retentionRows'
  | 'retentionOldestAge'
  | 'retentionCompletedAt'
  | 'storeGivenBack'
  | 'storeBytes'
  | 'storeLimit'
>

const retentionMetrics = (registers: Registry[]): RetentionMetrics & RollupMetrics => ({
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
    name: 'watchpost_store_reclaimed_bytes_total',
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
  ...rollupMetrics(registers),
})

type RollupMetrics = Pick<Metrics, 'rollupsFolded' | 'rollupsRecounted' | 'rollupsLag'>

const rollupMetrics = (registers: Registry[]): RollupMetrics => ({
  rollupsFolded: new Counter({
    name: 'watchpost_rollups_applied_total',
    help: 'Hours of checks with results that were counted into rollups, an hour of each check being one',
    registers,
  }),
  rollupsRecounted: new Counter({
    name: 'watchpost_rollups_recounted_total',
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
export const collectProcessMetrics = ({ registry }: Metrics): void => {
  collectDefaultMetrics({ register: registry })
  for (const name of sums) registry.removeSingleMetric(name)
}

/** Gauges with the name of a counter, which `promtool check metrics` finds wrong; each is the sum of another metric. */
const sums = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** Gauges of one reading: a scrape reads once for all of them, by the last reader that was named. */
const scrapedGauges = <K extends string>(
  registry: Registry,
  declared: Record<K, GaugeDeclaration>,
): ((read: ReadLevels<K>) => void) => {
  let read: ReadLevels<K> = async () => null
  let reading: ReturnType<ReadLevels<K>> | undefined
  const readOnce: ReadLevels<K> = () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
  for (const [key, [name, help, ...labelNames]] of Object.entries<GaugeDeclaration>(declared)) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect: async () => {
        const levels = await readOnce()
        if (labelNames.length > 0) gauge.reset()
        else gauge.remove()
        if (levels !== null) show(gauge, levels[key as K])
      },
    })
  }
  return (next) => {
    read = next
  }
}

const show = (gauge: Gauge, level: Level): void => {
  if (typeof level === 'number') gauge.set(level)
  else for (const { labels, value } of level) gauge.set(labels, value)
}

/** What `/metrics` shows. */
export type HasMetrics = { metrics: Metrics }
