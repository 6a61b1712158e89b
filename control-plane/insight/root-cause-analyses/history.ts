import type { HistoryFacts, LocationFacts } from './facts.ts'

/** One FINAL run, as the store's columns say it. */
type PastRun = {
  started_at: number
  location: string
  response_time: number
  has_failures: boolean
  has_errors: boolean
}

/** Passing runs right before the failures that count as "just before". */
const justBeforeRuns = 5

/** From the runs of a check, newest first, and the start of the failure in question: how it came about. Pure. */
export const historyOf = (newestFirst: readonly PastRun[], failedAt: number): HistoryFacts => {
  const upToFailure = newestFirst.filter(({ started_at }) => started_at <= failedAt)
  const later = newestFirst.filter(({ started_at }) => started_at > failedAt)
  const firstPass = upToFailure.findIndex((run) => !failed(run))
  const inRow = firstPass === -1 ? upToFailure : upToFailure.slice(0, firstPass)
  const before = upToFailure.slice(inRow.length)
  return {
    runs: newestFirst.length,
    failed: newestFirst.filter(failed).length,
    failingSince: inRow.at(-1)?.started_at ?? failedAt,
    failuresInRow: Math.max(1, inRow.length),
    lastPassedAt: before.find((run) => !failed(run))?.started_at ?? null,
    passesAgainSince: passesAgain(later),
    locations: locationsOf(newestFirst),
    latency: latencyBefore(before),
  }
}

const failed = ({ has_failures, has_errors }: PastRun): boolean => has_failures || has_errors

/** The check has recovered when its newest run passes: the first of the unbroken passing runs. */
const passesAgain = (later: readonly PastRun[]): number | null => {
  const firstFailure = later.findIndex(failed)
  const passing = firstFailure === -1 ? later : later.slice(0, firstFailure)
  return passing.at(-1)?.started_at ?? null
}

const locationsOf = (newestFirst: readonly PastRun[]): LocationFacts[] => {
  const byName = new Map<string, LocationFacts>()
  for (const run of newestFirst) {
    const known = byName.get(run.location) ?? {
      location: run.location,
      runs: 0,
      failed: 0,
      failsNow: failed(run),
    }
    byName.set(run.location, { ...known, runs: known.runs + 1, failed: known.failed + (failed(run) ? 1 : 0) })
  }
  return [...byName.values()].sort((a, b) => (a.location < b.location ? -1 : 1))
}

const latencyBefore = (before: readonly PastRun[]): HistoryFacts['latency'] => {
  const passing = before.filter((run) => !failed(run)).map(({ response_time }) => response_time)
  const usual = passing.slice(justBeforeRuns)
  if (usual.length < justBeforeRuns) return null
  return { justBeforeMs: median(passing.slice(0, justBeforeRuns)), usualMs: median(usual) }
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return Math.round(((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2)
}
