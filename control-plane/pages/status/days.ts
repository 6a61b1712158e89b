/** The last 90 days of a service, one bar each. Pure. Days are in UTC: everybody who looks sees the same ones. */
import { type Span, spanUptime, uptimeDays } from '../../communication/status-page-services/uptime.ts'
import { dayMs, dayOf } from '../../monitoring/results/rollups/spans.ts'
import type { Day, DayState } from './model.ts'
import { stateOfSeverity } from './states.ts'

/** Final results of the checks that belong to a service. */
export type DayRuns = { runs: number; failed: number }

type Incident = Span & { severity: string }

type ServiceHistory = {
  createdAt: number
  incidents: readonly Incident[]
  maintenance: readonly Span[]
  /** By the start of the day; null: no check belongs to the service. */
  runs: ReadonlyMap<number, DayRuns> | null
}

/** Of a day's checks, how many have to fail to colour it. */
const degradedFrom = 0.01
const downFrom = 0.5

/** Oldest first; the last one is today. */
export const daysOf = (history: ServiceHistory, now: number): Day[] => {
  const today = dayOf(now)
  return Array.from({ length: uptimeDays }, (_, index) =>
    dayIn(history, today - (uptimeDays - 1 - index) * dayMs, now),
  )
}

const dayIn = ({ createdAt, incidents, maintenance, runs }: ServiceHistory, at: number, now: number): Day => {
  const span = { from: at, to: Math.min(at + dayMs, now + 1) }
  const hit = incidents.filter(
    ({ from, to }) => from < span.to && (to ?? Number.POSITIVE_INFINITY) > span.from,
  )
  const counted = runs?.get(at) ?? { runs: 0, failed: 0 }
  const isMeasured = runs === null ? at + dayMs > createdAt : counted.runs > 0
  return {
    at,
    state: stateOfDay(hit, counted, isMeasured),
    incidents: hit.length,
    uptime: spanUptime(hit, maintenance, span),
    ...counted,
  }
}

const stateOfDay = (hit: readonly Incident[], { runs, failed }: DayRuns, isMeasured: boolean): DayState => {
  const share = runs === 0 ? 0 : failed / runs
  const isDown = hit.some(({ severity }) => stateOfSeverity(severity) !== 'degraded')
  if (isDown || share >= downFrom) return 'down'
  if (hit.length > 0 || share >= degradedFrom) return 'degraded'
  return isMeasured ? 'up' : 'none'
}
