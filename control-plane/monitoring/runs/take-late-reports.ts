/** Reports of runs that agents made by themselves, and what they have told meanwhile: each is judged by itself, as others are (take-reports.ts). */
import type { ReportResponse } from '../../../protocol/agent-api.ts'
import { LateReport, type LateReportRequest } from '../../../protocol/standing-order.ts'
import { compile } from '../../../protocol/validate.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import { noteTold } from '../schedule/told-meanwhile.ts'
import type { IntakeApp } from './intake.ts'
import { intakeLateReports } from './late-intake.ts'
import { locationName } from './location-name.ts'
import { runMetrics } from './run-metrics.ts'
import { takeTogether } from './take-reports.ts'

type Outcomes = ReportResponse['outcomes']

const validate = compile(LateReport)

type Given = { reports: readonly unknown[]; told?: LateReportRequest['told'] }

/** One outcome per value, in order; `refused` for what is no report of a run of this location that can have been. */
export const takeLateReports = async (
  app: HasMetrics & IntakeApp,
  locationId: string,
  { reports: values, told = [] }: Given,
): Promise<Outcomes> => {
  const location = { id: locationId, name: await locationName(app)(locationId) }
  if (told.length > 0) await noteTold(app, location.id, told)
  const read = values.map((value) => {
    const checked = validate(value)
    return checked.ok ? checked.value : null
  })
  const reports = read.filter((report) => report !== null)
  const taken =
    reports.length === 0
      ? []
      : await takeTogether(
          app,
          {
            intake: (some) => intakeLateReports(app, { location, reports: some }),
            unstored: (report, problem): LateReport => ({
              ...report,
              outcome: { kind: 'could-not-run', reason: `The agent sent a report that ${problem}` },
              log: [],
            }),
          },
          { reports },
        )
  let next = 0
  const outcomes: Outcomes = read.map((report) =>
    report === null ? { jobId: '', outcome: 'refused' } : (taken[next++] as Outcomes[number]),
  )
  for (const { outcome } of outcomes) runMetrics.lateReports(app).inc({ outcome })
  return outcomes
}
