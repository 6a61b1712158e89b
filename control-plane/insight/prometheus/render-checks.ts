/** The series of checks as text, family by family, a check at a time. Pure. */
import {
  type ExpositionFormat,
  familyHead,
  labelText,
  type MetricFamily,
  numberText,
  sampleLine,
} from '../../../protocol/exposition.ts'
import { probeFamilies } from '../../../protocol/probe-series.ts'
import {
  type CheckMemory,
  checkStates,
  createCounts,
  histogramOf,
  type LastRun,
  type RunCounts,
  type TypedHistogram,
} from './account-memory.ts'
import { checkFamilies, runFamilies } from './families.ts'
import { addHistogram, type Histogram } from './histogram.ts'

export type Switches = {
  locationLabelEnabled: boolean
  includeRetryAttempts: boolean
  disableTagParsing: boolean
  histograms: boolean
}

type Rendering = { switches: Switches; format: ExpositionFormat; now: number }

/** Its lines of one check; empty: it has none. */
type FamilyWriter = { family: MetricFamily; lines(check: ShownCheck): string }

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
  lines: ({ check, labels }) =>
    check.state === null
      ? ''
      : checkStates
          .map((state) =>
            sampleLine(
              checkFamilies.status.name,
              `${labels},status="${state}"`,
              // Of heartbeats nothing is ever degraded.
              check.state === state ? 1 : 0,
            ),
          )
          .join(''),
}

const staleOf: FamilyWriter = {
  family: checkFamilies.stale,
  lines: ({ check, labels }) =>
    check.state === null ? '' : sampleLine(checkFamilies.stale.name, labels, check.isStale ? 1 : 0),
}

const countsOf = (family: MetricFamily, kind: 'results' | 'late'): FamilyWriter => ({
  family,
  lines: ({ labels, runs }) =>
    runs
      .flatMap(({ location, counts }) =>
        checkStates.map((state) =>
          sampleLine(family.name, joined(labels, location, `status="${state}"`), counts[kind][state]),
        ),
      )
      .join(''),
})

const histogramsOf = ([key, family]: [string, MetricFamily]): FamilyWriter => ({
  family,
  lines: ({ labels, runs }) => {
    let text = ''
    for (const { location, counts } of runs)
      for (const typed of counts.histograms.values())
        if (typed.family === key) text += histogramLines(family.name, joined(labels, location), typed)
    return text
  },
})

const histogramLines = (name: string, labels: string, { type, histogram }: TypedHistogram): string => {
  const all = type === '' ? labels : `${labels},type="${type}"`
  const { counts, bounds, sum }: Histogram = histogram
  let text = ''
  let below = 0
  counts.forEach((count, bucket) => {
    below += count
    const bound = bounds[bucket]
    text += `${name}_bucket{${all},le="${bound === undefined ? '+Inf' : boundText(bound)}"} ${below}\n`
  })
  return `${text}${name}_sum{${all}} ${numberText(sum)}\n${name}_count{${all}} ${below}\n`
}

/** As OpenMetrics writes numbers of `le`: `1.0`. */
const boundText = (bound: number): string => (Number.isInteger(bound) ? `${bound}.0` : String(bound))

const lossOf: FamilyWriter = {
  family: checkFamilies.icmpLoss,
  lines: ({ labels, runs }) =>
    runs
      .map(({ location, last }) =>
        last === null || last.loss === null
          ? ''
          : sampleLine(checkFamilies.icmpLoss.name, joined(labels, location), last.loss),
      )
      .join(''),
}

const pingOf: FamilyWriter = {
  family: checkFamilies.heartbeatSuccess,
  lines: ({ check: { heartbeat }, labels }) =>
    heartbeat === null
      ? ''
      : sampleLine(checkFamilies.heartbeatSuccess.name, labels, (heartbeat.lastPingAt ?? 0) / 1000),
}

const periodOf: FamilyWriter = {
  family: checkFamilies.heartbeatInterval,
  lines: ({ check: { heartbeat }, labels }) =>
    heartbeat === null
      ? ''
      : sampleLine(checkFamilies.heartbeatInterval.name, labels, heartbeat.periodMs / 1000),
}

const certificatesOf = (now: number): FamilyWriter => ({
  family: checkFamilies.certificate,
  lines: ({ check: { runCertificate, watchedCertificate }, labels }) => {
    const seen = [watchedCertificate, runCertificate].flatMap((one) => one ?? [])
    return [...new Map(seen.map(({ domain, endsAt }) => [domain, endsAt]))]
      .map(([domain, endsAt]) =>
        sampleLine(
          checkFamilies.certificate.name,
          joined(labels, labelText([['domain', domain]])),
          (endsAt - now) / 1000,
        ),
      )
      .join('')
  },
})

const probesOf = (family: (typeof probeFamilies)[number]): FamilyWriter => ({
  family,
  lines: ({ check, labels, runs }) => {
    let text = ''
    for (const { location, last } of runs)
      for (const { name, phase, value } of last?.probe ?? [])
        if (name === family.name)
          text += sampleLine(
            name,
            joined(labels, location, phase === undefined ? '' : `phase="${phase}"`, check.instance),
            value,
          )
    return text
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

/** The lines of a family in pieces that are short enough for a turn of the event loop; nothing where no check has any. */
export function* familyPieces(
  { family, lines }: FamilyWriter,
  checks: readonly ShownCheck[],
  format: ExpositionFormat,
): Generator<string> {
  let piece = ''
  let begun = false
  let looked = 0
  for (const check of checks) {
    const text = lines(check)
    if (text !== '') {
      if (!begun) piece += familyHead(family, format)
      begun = true
      piece += text
    }
    if (piece.length < pieceLength && ++looked % checksPerPiece !== 0) continue
    yield piece
    piece = ''
  }
  yield piece
}

const pieceLength = 128 * 1024
const checksPerPiece = 1000
