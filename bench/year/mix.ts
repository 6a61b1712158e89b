/** How many checks run how often, so that a year of them has so many results. Pure. */
import { sized } from '../support/size.ts'

export const dayMs = 86_400_000
/** A year, or what somebody has time for; a few days where nobody looks at figures. */
export const days = Number(process.env['YEAR_DAYS'] ?? sized(365, 3))

export type Cadence = { everyMs: number; checks: number; days: number }

const runsOf = (everyMs: number, ofDays: number): number => (ofDays * dayMs) / everyMs

/** One check every ten seconds for the last month at most, one-minute checks, and the rest every ten minutes. */
export const mixOf = (results: number): Cadence[] => {
  const often = sized(10_000, 60_000)
  const oftenDays = Math.max(1, Math.min(30, days, Math.floor((0.2 * results) / runsOf(often, 1))))
  const left = results - runsOf(often, oftenDays)
  const minutely = Math.floor((0.85 * left) / runsOf(60_000, days))
  const rest = left - minutely * runsOf(60_000, days)
  return [
    { everyMs: often, checks: 1, days: oftenDays },
    { everyMs: 60_000, checks: minutely, days },
    { everyMs: 600_000, checks: Math.max(1, Math.round(rest / runsOf(600_000, days))), days },
  ]
}
