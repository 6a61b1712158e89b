/**
 * What the exporter knows of one account in this process. Runs are added when they finish; what is set (names, states, pings,
 * certificates) is brought up to date by refresh-checks.ts. Pure but for its own maps.
 */
import type { ProbeSample } from '../../../protocol/probe-series.ts'
import { runFamilies } from './families.ts'
import {
  countBuckets,
  createHistogram,
  type Histogram,
  longBuckets,
  observe,
  secondsBuckets,
} from './histogram.ts'
import type { RunObservation, SeenCertificate } from './run-observations.ts'
import { createStartDelays, type StartDelays } from './start-delays.ts'

type CheckState = 'passing' | 'failing' | 'degraded'
export const checkStates: readonly CheckState[] = ['passing', 'failing', 'degraded']

type TypedHistogram = { family: string; type: string; histogram: Histogram }

/** Since this process began to follow the account. `late`: runs of outages, which are in nothing else. */
export type RunCounts = {
  results: Record<CheckState, number>
  late: Record<CheckState, number>
  histograms: Map<string, TypedHistogram>
}

export type LastRun = { startedAt: number; probe: readonly ProbeSample[]; loss: number | null }

/** Of one check in one location. `attempts`: those that were followed by a retry. */
type LocationRuns = { finals: RunCounts; attempts: RunCounts; last: LastRun | null }

export type CheckMemory = {
  /** What the labels were made of; null: the check was not read yet. */
  basis: string | null
  /** As labelText writes them; `instance`: the target, of the probe series. */
  labels: string
  tagLabels: string
  instance: string
  checkType: string
  state: string | null
  /** No result has come for too long: what its last run measured is not said of now. */
  isStale: boolean
  heartbeat: { lastPingAt: number | null; periodMs: number } | null
  /** By domain: that of its last run, and that of `sslCheckDomain`. */
  runCertificate: SeenCertificate | null
  watchedCertificate: SeenCertificate | null
  locations: Map<string, LocationRuns>
  /** When it came into this memory. */
  since: number
}

export type LocationMemory = {
  labels: string
  queued: number
  inflight: number
  oldestAgeMs: number
  agents: number
}

export type AccountMemory = {
  accountId: string
  checks: Map<string, CheckMemory>
  /** By slug. */
  locations: Map<string, LocationMemory>
  delays: StartDelays
  since: number
  scrapedAt: number
  refreshedAt: number
  /** Somebody has asked for native histograms: they count from then on. */
  isNative: boolean
}

export const createAccountMemory = (accountId: string, now: number): AccountMemory => ({
  accountId,
  checks: new Map(),
  locations: new Map(),
  delays: createStartDelays(),
  since: now,
  scrapedAt: now,
  refreshedAt: Number.NEGATIVE_INFINITY,
  isNative: false,
})

export const checkMemoryOf = (memory: AccountMemory, checkId: string, now: number): CheckMemory => {
  const known = memory.checks.get(checkId)
  if (known) return known
  const created: CheckMemory = {
    basis: null,
    labels: '',
    tagLabels: '',
    instance: '',
    checkType: '',
    state: null,
    isStale: false,
    heartbeat: null,
    runCertificate: null,
    watchedCertificate: null,
    locations: new Map(),
    since: now,
  }
  memory.checks.set(checkId, created)
  return created
}

export const createCounts = (): RunCounts => ({
  results: { passing: 0, failing: 0, degraded: 0 },
  late: { passing: 0, failing: 0, degraded: 0 },
  histograms: new Map(),
})

/** What came earlier than what is known says nothing of now. */
export const noteLastRun = (check: CheckMemory, run: RunObservation): void => {
  const locationRuns = locationRunsOf(check, run.location)
  const isOlder = [...check.locations.values()].some(({ last }) => run.startedAt < (last?.startedAt ?? 0))
  if (run.certificate !== undefined && !(run.arrivedLate && isOlder)) check.runCertificate = run.certificate
  if (run.probe.length > 0 && run.startedAt >= (locationRuns.last?.startedAt ?? 0))
    locationRuns.last = { startedAt: run.startedAt, probe: run.probe, loss: run.loss ?? null }
}

export const countRun = (memory: AccountMemory, run: RunObservation, now: number): void => {
  const check = checkMemoryOf(memory, run.checkId, now)
  const locationRuns = locationRunsOf(check, run.location)
  const counts = run.isFinal ? locationRuns.finals : locationRuns.attempts
  if (run.isFinal) noteLastRun(check, run)
  // A rate over five minutes is about these five, whatever has come in of the hours before.
  if (run.arrivedLate) {
    if (run.status !== null) counts.late[run.status]++
    return
  }
  if (run.status !== null) counts.results[run.status]++
  for (const { family, type, values } of run.measurements) {
    const { histogram } = histogramOf(counts, family, type)
    for (const value of values) observe(histogram, value, memory.isNative)
  }
  memory.delays.add(run, now)
}

/** All histograms begin anew, so that native and classic ones have counted the same. */
export const beginNative = (memory: AccountMemory): void => {
  if (memory.isNative) return
  memory.isNative = true
  for (const { locations } of memory.checks.values())
    for (const { finals, attempts } of locations.values())
      for (const { histograms } of [finals, attempts]) histograms.clear()
}

const locationRunsOf = (check: CheckMemory, location: string): LocationRuns => {
  const known = check.locations.get(location)
  if (known) return known
  const created = { finals: createCounts(), attempts: createCounts(), last: null }
  check.locations.set(location, created)
  return created
}

const boundsOf = { seconds: secondsBuckets, long: longBuckets, counts: countBuckets }

export const histogramOf = (counts: RunCounts, family: string, type: string): TypedHistogram => {
  const key = `${family} ${type}`
  const known = counts.histograms.get(key)
  if (known) return known
  const created = {
    family,
    type,
    histogram: createHistogram(boundsOf[runFamilies.get(family)?.buckets ?? 'seconds']),
  }
  counts.histograms.set(key, created)
  return created
}
