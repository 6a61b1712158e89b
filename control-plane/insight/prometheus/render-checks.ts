/** The series of checks, family by family, a check at a time. Pure. */
import { labelText, type MetricFamily } from '../../../protocol/exposition.ts'
import { probeFamilies } from '../../../protocol/probe-series.ts'
import {
  type CheckMemory,
  checkStates,
  createCounts,
  histogramOf,
  type LastRun,
  type RunCounts,
} from './account-memory.ts'
import { checkFamilies, type Piece, type Printer, runFamilies, type Series } from './families.ts'
import { addHistogram } from './histogram.ts'

export type Switches = {
  locationLabelEnabled: boolean
  includeRetryAttempts: boolean
  disableTagParsing: boolean
  histograms: boolean
  classicHistograms: boolean
}

type Rendering = { switches: Switches; now: number }

/** Its series of one check. */
type FamilyWriter = { family: MetricFamily; series(check: ShownCheck): Series[] }

/** What is shown of a check in one location, or of all of them together. `location`: a label, or nothing. */
type ShownRuns = { location: string; counts: RunCounts; last: LastRun | null }

/** A check with its labels as they were asked for. */
type ShownCheck = { check: CheckMemory; labels: string; runs: ShownRuns[] }

/** Null for a check that was not read yet. */
export const showCheck = (check: CheckMemory, switches: Switches): ShownCheck | null => {
  if (check.basis === null) return null
  const labels = switches.disableTagParsing ? check.labels : joined(check.labels, check.tagLabels)
  return { check, labels, runs: shownRuns(check, switches) }
}

const joined = (...labels: string[]): string => labels.filter((text) => text !== '').join(',')

const shownRuns = (check: CheckMemory, switches: Switches): ShownRuns[] => {
  const { locationLabelEnabled, includeRetryAttempts } = switches
  const each = [...check.locations].map(([location, { finals, attempts, last }]) => ({
    location: locationLabelEnabled ? labelText([['location', location]]) : '',
    counts: includeRetryAttempts ? sumOf([finals, attempts]) : finals,
    last: check.isStale ? null : last,
  }))
  if (locationLabelEnabled) return each
  const [only] = each
  if (each.length === 1 && only) return [only]
  const last = each.reduce<LastRun | null>(
    (latest, { last: other }) =>
      other !== null && other.startedAt >= (latest?.startedAt ?? 0) ? other : latest,
    null,
  )
  return [{ location: '', counts: sumOf(each.map(({ counts }) => counts)), last }]
}

const sumOf = (parts: readonly RunCounts[]): RunCounts => {
  const sum = createCounts()
  for (const { results, late, histograms } of parts) {
    for (const state of checkStates) sum.results[state] += results[state]
    for (const state of checkStates) sum.late[state] += late[state]
    for (const { family, type, histogram } of histograms.values())
      addHistogram(histogramOf(sum, family, type).histogram, histogram)
  }
  return sum
}

const statusOf: FamilyWriter = {
  family: checkFamilies.status,
  series: ({ check, labels }) =>
    check.state === null
      ? []
      : checkStates.map((state) => ({
          labels: [labels, `status="${state}"`],
          // Of heartbeats nothing is ever degraded.
          value: check.state === state ? 1 : 0,
        })),
}

const staleOf: FamilyWriter = {
  family: checkFamilies.stale,
  series: ({ check, labels }) =>
    check.state === null ? [] : [{ labels: [labels], value: check.isStale ? 1 : 0 }],
}

const countsOf = (family: MetricFamily, kind: 'results' | 'late'): FamilyWriter => ({
  family,
  series: ({ labels, runs }) =>
    runs.flatMap(({ location, counts }) =>
      checkStates.map((state) => ({
        labels: [labels, location, `status="${state}"`],
        value: counts[kind][state],
      })),
    ),
})

const histogramsOf = ([key, family]: [string, MetricFamily]): FamilyWriter => ({
  family,
  series: ({ labels, runs }) => {
    const series: Series[] = []
    for (const { location, counts } of runs)
      for (const { family: of, type, histogram } of counts.histograms.values())
        if (of === key)
          series.push({ labels: [labels, location, type === '' ? '' : `type="${type}"`], histogram })
    return series
  },
})

const lossOf: FamilyWriter = {
  family: checkFamilies.icmpLoss,
  series: ({ labels, runs }) =>
    runs.flatMap(({ location, last }) =>
      last === null || last.loss === null ? [] : [{ labels: [labels, location], value: last.loss }],
    ),
}

const pingOf: FamilyWriter = {
  family: checkFamilies.heartbeatSuccess,
  series: ({ check: { heartbeat }, labels }) =>
    heartbeat === null ? [] : [{ labels: [labels], value: (heartbeat.lastPingAt ?? 0) / 1000 }],
}

const periodOf: FamilyWriter = {
  family: checkFamilies.heartbeatInterval,
  series: ({ check: { heartbeat }, labels }) =>
    heartbeat === null ? [] : [{ labels: [labels], value: heartbeat.periodMs / 1000 }],
}

const certificatesOf = (now: number): FamilyWriter => ({
  family: checkFamilies.certificate,
  series: ({ check: { runCertificate, watchedCertificate }, labels }) => {
    const seen = [watchedCertificate, runCertificate].flatMap((one) => one ?? [])
    return [...new Map(seen.map(({ domain, endsAt }) => [domain, endsAt]))].map(([domain, endsAt]) => ({
      labels: [labels, labelText([['domain', domain]])],
      value: (endsAt - now) / 1000,
    }))
  },
})

const probesOf = (family: (typeof probeFamilies)[number]): FamilyWriter => ({
  family,
  series: ({ check, labels, runs }) => {
    const series: Series[] = []
    for (const { location, last } of runs)
      for (const { name, phase, value } of last?.probe ?? [])
        if (name === family.name)
          series.push({
            labels: [labels, location, phase === undefined ? '' : `phase="${phase}"`, check.instance],
            value,
          })
    return series
  },
})

export const writersOf = ({ switches, now }: Rendering): FamilyWriter[] => [
  statusOf,
  staleOf,
  countsOf(checkFamilies.results, 'results'),
  countsOf(checkFamilies.lateResults, 'late'),
  ...(switches.histograms ? [...runFamilies].map(histogramsOf) : []),
  lossOf,
  pingOf,
  periodOf,
  certificatesOf(now),
  ...probeFamilies.map(probesOf),
]

/** A family in pieces that are short enough for a turn of the event loop; nothing where no check has any. */
export function* familyPieces(
  { family, series }: FamilyWriter,
  checks: readonly ShownCheck[],
  print: Printer,
): Generator<Piece> {
  let some: Series[] = []
  let isFirst = true
  let looked = 0
  for (const check of checks) {
    some.push(...series(check))
    const weight = some.length * (family.type === 'histogram' ? 11 : 1)
    if (weight < linesPerPiece && ++looked % checksPerPiece !== 0) continue
    if (some.length > 0) yield print(family, some, isFirst)
    else yield ''
    isFirst &&= some.length === 0
    some = []
  }
  if (some.length > 0) yield print(family, some, isFirst)
}

const linesPerPiece = 400
const checksPerPiece = 1000
