/**
 * Reports as agents send them: each is judged by itself, so that one that cannot be read or stored spoils no other. What is
 * its own fault would fail the same way for ever: it becomes a run that could not be run, with the reason, if it says which
 * one it is of. Everything else is no reason to give up what was measured: the agent keeps it and sends it again.
 */

import type { ReportResponse } from '../../../protocol/agent-api.ts'
import { Report } from '../../../protocol/result.ts'
import { compile } from '../../../protocol/validate.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import { isDataError, isLockTimeout, storeErrorKind } from '../../platform/store/database/store-error.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { type IntakeApp, intakeReports } from './intake.ts'
import { runMetrics } from './run-metrics.ts'

type Outcomes = ReportResponse['outcomes']

const validate = compile(Report)
/** The last instant that a date can show (ECMA-262, section 21.4.1.1). */
const latestInstant = 8.64e15

/** One outcome per value, in order; `refused` for what is not a report of any run. */
export const takeReports = async (
  app: HasMetrics & IntakeApp,
  location: string,
  values: unknown[],
): Promise<Outcomes> => {
  const now = app.clock.now()
  const reports = values.map((value) => readReport(value, now))
  const readable = reports.filter((report) => report !== null)
  const taken =
    readable.length === 0 ? [] : await takeTogether(app, takingOf(app, location), { reports: readable })
  let next = 0
  const outcomes: Outcomes = reports.map((report) =>
    report === null ? { jobId: '', outcome: 'refused' } : (taken[next++] as Outcomes[number]),
  )
  runMetrics.reportBatches(app).observe(values.length)
  for (const { outcome } of outcomes) runMetrics.reports(app).inc({ outcome })
  return outcomes
}

const takingOf = (app: IntakeApp, location: string): Taking<Report> => ({
  intake: (reports, passLocked) => intakeReports(app, location, reports, { passLocked }),
  unstored: (report, problem) => unrunnable(report, { now: app.clock.now(), problem }),
})

const readReport = (value: unknown, now: number): Report | null => {
  const checked = validate(value)
  if (checked.ok && checked.value.startedAt <= latestInstant && checked.value.stoppedAt <= latestInstant)
    return checked.value
  const { jobId, fence } = (value ?? {}) as Partial<Report>
  if (typeof jobId !== 'string' || jobId === '' || jobId.length > 64 || !Number.isSafeInteger(fence))
    return null
  const problem = checked.ok
    ? 'its instants are beyond all dates'
    : (checked.violations[0]?.message ?? 'it has another shape')
  return unrunnable({ jobId, fence: fence as number }, { now, problem: `cannot be read: ${problem}` })
}

type ReportKey = Pick<Report, 'jobId' | 'fence'>

const unrunnable = (
  { jobId, fence }: ReportKey,
  { now, problem }: { now: number; problem: string },
): Report => ({
  jobId,
  fence,
  startedAt: now,
  stoppedAt: now,
  outcome: { kind: 'could-not-run', reason: `The agent sent a report that ${problem}`.slice(0, 4096) },
  log: [],
})

/** A report that trips us up for so long, though the store is well, is given up at last. */
const retriedMs = 3_600_000

/**
 * How reports are taken in: `intake` of some in one transaction, jobs that somebody else holds left for later where `passLocked`; `unstored`: what
 * stands for one that the store refuses.
 */
type Taking<R> = {
  intake(reports: R[], passLocked: boolean): Promise<Outcomes>
  unstored(report: R, problem: string): R
}

/** All together, or each by itself where one spoils the others. */
export const takeTogether = async <R extends { jobId: string; stoppedAt: number }>(
  app: App,
  taking: Taking<R>,
  { reports, passLocked = false }: { reports: R[]; passLocked?: boolean },
): Promise<Outcomes> => {
  try {
    return await taking.intake(reports, passLocked)
  } catch (error) {
    // A job that is held for longer than we wait holds back nobody but itself.
    if (isLockTimeout(error) && !passLocked) return takeTogether(app, taking, { reports, passLocked: true })
    // The store takes nothing now, whatever it is: the agent keeps its reports and sends them again.
    if (error instanceof ApiError || storeErrorKind(error) !== null) throw error
    if (reports.length > 1) {
      const outcomes: Outcomes = []
      for (const report of reports)
        outcomes.push(...(await takeTogether(app, taking, { reports: [report], passLocked })))
      return outcomes
    }
    const [report] = reports as [R]
    app.log.error({ err: error, jobId: report.jobId }, 'A report of an agent could not be stored')
    if (!isDataError(error) && app.clock.now() - report.stoppedAt < retriedMs)
      return [{ jobId: report.jobId, outcome: 'later' }]
    return taking.intake([taking.unstored(report, 'the control plane could not store')], false)
  }
}
