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
  /** Now: today is at least as bad. */
  state: State
}

/** Of a day's checks, how many have to fail to colour it. */
const degradedFrom = 0.01
const downFrom = 0.5

/** Oldest first; the last one is today. */
export const daysOf = (history: ServiceHistory, now: number): Day[] => {
  const today = dayOf(now)
  return Array.from({ length: uptimeDays }, (_, index) =>
    dayIn(history, today - (uptimeDays - 1 - index) * dayMs, now),
  ).map((day) => (day.at === today ? { ...day, state: worseOf(day.state, dayStates[history.state]) } : day))
}

/** Of days on which something was measured or told; null where there is none. */
export const uptimeOf = (days: readonly Day[], now: number): number | null => {
  const measured = days.filter(({ state }) => state !== 'none')
  const lengthOf = ({ at }: Day): number => Math.min(dayMs, now + 1 - at)
  const total = measured.reduce((sum, day) => sum + lengthOf(day), 0)
  return total === 0 ? null : measured.reduce((sum, day) => sum + day.uptime * lengthOf(day), 0) / total
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

const dayIn = ({ incidents, maintenance, runs }: ServiceHistory, at: number, now: number): Day => {
  const span = { from: at, to: Math.min(at + dayMs, now + 1) }
  const hit = incidents.filter(
    ({ from, to }) => from < span.to && (to ?? Number.POSITIVE_INFINITY) > span.from,
  )
  const counted = runs.get(at) ?? { runs: 0, failed: 0 }
  return {
    at,
    state: stateOfDay(hit, counted),
    incidents: hit.length,
    // What begins at this very moment has taken nothing yet.
    uptime: spanUptime(hit, maintenance, { from: at, to: Math.max(at + 1, Math.min(at + dayMs, now)) }),
    ...counted,
  }
}

const stateOfDay = (hit: readonly Incident[], { runs, failed }: DayRuns): DayState => {
  const share = runs === 0 ? 0 : failed / runs
  const isDown = hit.some(({ severity }) => stateOfSeverity(severity) !== 'degraded')
  if (isDown || share >= downFrom) return 'down'
  if (hit.length > 0 || share >= degradedFrom) return 'degraded'
  return runs > 0 ? 'up' : 'none'
}
