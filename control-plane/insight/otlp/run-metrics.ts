/**
 * Runs as metrics of the SDK. Its cumulative sums keep every series for good, so a provider is replaced once one of its
 * series is stale: the sums begin anew, as after a restart, and what no longer runs has ended.
 */
import type { Counter, Histogram } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'
import type { FinalResult } from '../../monitoring/outcomes/consequences.ts'
import { controlPlaneVersion } from '../../platform/settings/config.ts'
import { seriesAttributes } from './run-attributes.ts'

/** The slowest checks run once a day. */
const staleAfterMs = 25 * 3_600_000
const lookEveryMs = 3_600_000

/** Data points of one request, so that none takes long to write. */
const pointsPerExport = 1000

/** Seconds: those of http.client.request.duration, and more for browsers. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 120]

type RunMetrics = {
  /** False: there is no room for another series. */
  record(run: FinalResult): boolean
  close(): Promise<void>
}

type Options = {
  resource: Resource
  newExporter(): PushMetricExporter
  everyMs: number
  maxSeries: number
  monotonic(): number
}

type Meters = { provider: MeterProvider; runs: Counter; duration: Histogram }

export const createRunMetrics = (options: Options): RunMetrics => {
  const { monotonic, maxSeries } = options
  const lastSeen = new Map<string, number>()
  let meters = openMeters(options)
  let lookAt = monotonic() + lookEveryMs
  const replaceStale = (now: number): void => {
    if (now < lookAt) return
    lookAt = now + lookEveryMs
    if (![...lastSeen.values()].some((at) => now - at > staleAfterMs)) return
    // Its last sums go out; a failure is counted where its exporter is watched.
    meters.provider.shutdown().catch(() => undefined)
    meters = openMeters(options)
    lastSeen.clear()
  }
  return {
    record: (run) => {
      const now = monotonic()
      replaceStale(now)
      const attributes = seriesAttributes(run)
      const key = JSON.stringify(Object.values(attributes))
      if (!lastSeen.has(key) && lastSeen.size >= maxSeries) return false
      lastSeen.set(key, now)
      meters.runs.add(1, attributes)
      const { isCancelled, hasErrors, responseTime } = run.verdict
      if (!isCancelled && !hasErrors) meters.duration.record(responseTime / 1000, attributes)
      return true
    },
    close: () => meters.provider.shutdown(),
  }
}

const openMeters = ({ resource, newExporter, everyMs, maxSeries }: Options): Meters => {
  const reader = new PeriodicExportingMetricReader({
    exporter: newExporter(),
    exportIntervalMillis: everyMs,
    exportTimeoutMillis: Math.min(everyMs, 30_000),
    cardinalityLimits: { default: maxSeries + 1 },
    maxExportBatchSize: pointsPerExport,
  })
  const provider = new MeterProvider({ resource, readers: [reader] })
  const meter = provider.getMeter('watchpost', controlPlaneVersion)
  return {
    provider,
    runs: meter.createCounter('watchpost.runs', {
      unit: '{run}',
      description: 'Runs of checks by how they ended; retries do not count',
    }),
    duration: meter.createHistogram('watchpost.run.duration', {
      unit: 's',
      description: 'Response time of runs that saw their target',
      advice: { explicitBucketBoundaries: bounds },
    }),
  }
}
