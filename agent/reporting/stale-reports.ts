/**
 * Reports that were refused because their lease had run out meanwhile. The same job may be on its way back to this agent: then
 * its report is here, and what was sent is not sent again. Bounded by their number, size and age.
 */
import type { Report } from '../../protocol/result.ts'

export type StaleReports = {
  keep(report: Report, bytes: number): void
  /** Removes the report of a job and returns it; null if there is none. */
  take(jobId: string): Report | null
}

const maxReports = 1000
const maxBytes = 8 * 1024 * 1024
const maxAgeMs = 10 * 60_000

type Retained = { report: Report; bytes: number; until: number }

export const createStaleReports = (clock: { monotonic(): number }): StaleReports => {
  const retained = new Map<string, Retained>()
  let total = 0
  const take = (jobId: string): Report | null => {
    const one = retained.get(jobId)
    if (one === undefined) return null
    retained.delete(jobId)
    total -= one.bytes
    return one.until > clock.monotonic() ? one.report : null
  }
  return {
    take,
    keep: (report, bytes) => {
      take(report.jobId)
      retained.set(report.jobId, { report, bytes, until: clock.monotonic() + maxAgeMs })
      total += bytes
      for (const [jobId, { until }] of retained) {
        if (retained.size <= maxReports && total <= maxBytes && until > clock.monotonic()) break
        take(jobId)
      }
    },
  }
}
