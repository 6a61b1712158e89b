/** The last 90 days of a service, one bar each. Pure. Days are in UTC: everybody who looks sees the same ones. */
import { type Span, spanUptime, uptimeDays } from '../../communication/status-page-services/uptime.ts'
import type { State } from '../../communication/stored-pages/words/words.ts'
import { dayMs, dayOf } from '../../monitoring/results/rollups/spans.ts'
import type { Day, DayState } from './model.ts'
import { stateOfSeverity } from './states.ts'

/** Final results of the checks that belong to a service. */
export type DayRuns = { runs: number; failed: number }

type Incident = Span & { severity: string }

type ServiceHistory = {
  incidents: readonly Incident[]
  maintenance: readonly Span[]
  /** By the start of the day. */
  runs: ReadonlyMap<number, DayRuns>
  /** The first run that was judged; null: there was none. */
  measuredFrom: number | null
  /** Now: today is at least as bad. */
  state: State
  /** A check fails now, which nobody expects. */
  isFailing: boolean
}

/** Of a day's checks, how many have to fail to colour it. */
const degradedFrom = 0.01
const downFrom = 0.5

/** Oldest first; the last one is today. */
export const daysOf = (history: ServiceHistory, now: number): Day[] => {
  const today = dayOf(now)
  return Array.from({ length: uptimeDays }, (_, index) =>
    dayIn(history, today - (uptimeDays - 1 - index) * dayMs, now),
  ).map((day) => (day.at === today ? untilNow(day, history) : day))
}

/** A failure that was seen yesterday is one of today until a run of today says otherwise. */
const untilNow = (day: Day, { state, isFailing }: ServiceHistory): Day => ({
  ...day,
  state: worseOf(day.state, dayStates[state]),
  uptime: isFailing && day.uptime === 1 ? day.runs / (day.runs + 1) : day.uptime,
  knownMs: isFailing ? Math.max(1, day.knownMs) : day.knownMs,
})

/** Of the time in which something was measured or told; null where there is none. */
export const uptimeOf = (days: readonly Day[]): number | null => {
  const total = days.reduce((sum, { knownMs }) => sum + knownMs, 0)
  return total === 0 ? null : days.reduce((sum, { uptime, knownMs }) => sum + uptime * knownMs, 0) / total
}

const dayStates: Record<State, DayState> = {
  unknown: 'none',
  operational: 'none',
  maintenance: 'none',
  degraded: 'degraded',
  partial: 'down',
  major: 'down',
}

const fromBest: readonly DayState[] = ['none', 'up', 'degraded', 'down']

const worseOf = (a: DayState, b: DayState): DayState => (fromBest.indexOf(b) > fromBest.indexOf(a) ? b : a)

const dayIn = (
  { incidents, maintenance, runs, measuredFrom }: ServiceHistory,
  at: number,
  now: number,
): Day => {
  const span = { from: at, to: Math.min(at + dayMs, now + 1) }
  const hit = incidents.filter((each) => meets(each, span))
  const counted = runs.get(at) ?? { runs: 0, failed: 0 }
  // Runs while somebody worked on it say nothing of the day.
  const isWorkedOn = maintenance.some((each) => meets(each, span))
  const share = counted.runs === 0 || isWorkedOn ? 0 : counted.failed / counted.runs
  const known = knownIn(span, { hit, runs: counted.runs, measuredFrom })
  // What begins at this very moment has taken nothing yet.
  const told = { from: known.from, to: Math.max(known.from + 1, Math.min(at + dayMs, now)) }
  return {
    at,
    state: stateOfDay(hit, { runs: counted.runs, share }),
    incidents: hit.length,
    uptime: Math.min(spanUptime(hit, maintenance, told), 1 - share),
    knownMs: known.to - known.from,
    ...counted,
  }
}

const meets = ({ from, to }: Span, within: { from: number; to: number }): boolean =>
  from < within.to && (to ?? Number.POSITIVE_INFINITY) > within.from

type Known = { hit: readonly Incident[]; runs: number; measuredFrom: number | null }

/** The part of a day of which something is known: from the first run on, or from what was told before it; of a day without runs all, where something was told. */
const knownIn = (
  { from, to }: { from: number; to: number },
  { hit, runs, measuredFrom }: Known,
): { from: number; to: number } => {
  if (runs === 0) return { from, to: hit.length === 0 ? from : to }
  const begun = measuredFrom !== null && measuredFrom < to ? measuredFrom : from
  const first = Math.min(begun, ...hit.map((each) => each.from))
  return { from: Math.min(Math.max(from, first), to - 1), to }
}

const stateOfDay = (hit: readonly Incident[], { runs, share }: { runs: number; share: number }): DayState => {
  const isDown = hit.some(({ severity }) => stateOfSeverity(severity) !== 'degraded')
  if (isDown || share >= downFrom) return 'down'
  if (hit.length > 0 || share >= degradedFrom) return 'degraded'
  return runs > 0 ? 'up' : 'none'
}
