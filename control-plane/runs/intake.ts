/**
 * One door for outcomes: report → verdict → stored result, in one transaction with the end of its job.
 *
 * Invariant: a result is accepted once. The job's row is the right to write a result, and it is deleted with it; a
 * repeat finds the result (`duplicate`), a stale lease finds a newer fence or nothing at all (`stale`).
 */
import type { ReportResponse } from '../../protocol/agent-api.ts'
import type { CheckType } from '../../protocol/check-type.ts'
import { checkProtocols } from '../../protocol/checks/index.ts'
import type { Report } from '../../protocol/result.ts'
import type { App } from '../app.ts'
import type { Db } from '../database/db.ts'
import type { JobsTable } from '../database/tables.ts'
import { findCheckForIntake } from './check-queries.ts'
import { evaluate, type Judgement } from './evaluate.ts'
import { deleteJob, findJob } from './job-queries.ts'
import { findResultId, insertResult } from './result-queries.ts'

type Outcomes = ReportResponse['outcomes']

export const intakeReports = async (app: App, location: string, reports: Report[]): Promise<Outcomes> => {
  const now = app.clock.now()
  const outcomes = await app.db.transaction(async (trx) => {
    const each: Outcomes = []
    for (const report of reports)
      each.push({ jobId: report.jobId, outcome: await intake(trx, report, { location, now }) })
    return each
  })
  // A finished run may be what the next one of its check was waiting for.
  app.wakeups.wake(location)
  return outcomes
}

const intake = async (
  trx: Db,
  report: Report,
  { location, now }: { location: string; now: number },
): Promise<Outcomes[number]['outcome']> => {
  const job = await trx.get(findJob, { id: report.jobId })
  if (job === undefined) {
    const known = await trx.get(findResultId, { id: report.jobId })
    return known ? 'duplicate' : 'stale'
  }
  if (job.location !== location || job.fence !== report.fence) return 'stale'
  const check = await trx.get(findCheckForIntake, { id: job.check_id })
  if (check === undefined) return 'stale'
  await trx.run(insertResult, resultRow(job, check, report, now))
  await trx.run(deleteJob, { id: job.id })
  return 'accepted'
}

const resultRow = (job: JobsTable, check: { name: string; doc: string }, report: Report, now: number) => {
  const verdict = evaluate(report.outcome, JSON.parse(check.doc) as Judgement)
  return {
    id: job.id,
    accountId: job.account_id,
    checkId: job.check_id,
    checkType: job.check_type,
    resultType: 'FINAL',
    location: job.run_location,
    dueAt: job.due_at,
    startedAt: report.startedAt,
    stoppedAt: report.stoppedAt,
    now,
    responseTime: verdict.responseTime,
    hasFailures: verdict.hasFailures,
    hasErrors: verdict.hasErrors,
    isDegraded: verdict.isDegraded,
    isCancelled: verdict.isCancelled,
    overMax: verdict.overMaxResponseTime,
    attempts: job.attempt - 1,
    sequenceId: job.sequence_id,
    checkRunId: job.check_run_id,
    doc: JSON.stringify(resultDoc(job.check_type as CheckType, check.name, report)),
  }
}

/** What the result shows beyond its columns: the check's name then, the type's own part and why it failed. */
const resultDoc = (type: CheckType, name: string, { outcome, log }: Report) => {
  if (outcome.kind !== 'observed')
    return { name, log, error: outcome.kind === 'could-not-run' ? outcome.reason : 'The run was cancelled.' }
  const { failure, detail, metrics } = outcome.observation
  const property = checkProtocols[type]?.resultProperty
  return { name, log, failure, metrics, ...(property === undefined ? {} : { [property]: detail }) }
}
