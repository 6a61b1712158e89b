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
import { endRunOfSession, type Making } from '../check-sessions/advance-session.ts'
import { type NewStatus, recordStatus } from '../check-statuses/queries.ts'
import type { Db } from '../database/db.ts'
import type { JobsTable } from '../database/tables/runs.ts'
import { resultStored } from './announce-first-result.ts'
import { findCheckForIntake } from './check-queries.ts'
import { evaluate, type Judgement, type Verdict } from './evaluate.ts'
import { deleteJob, findJob } from './job-queries.ts'
import { findResultId, insertResult } from './result-queries.ts'

type Outcomes = ReportResponse['outcomes']
type Outcome = Outcomes[number]['outcome']

/** What one report led to: its outcome, and names to wake once it is durable. */
type Taken = { outcome: Outcome; wake: string[] }

export const intakeReports = async (app: App, location: string, reports: Report[]): Promise<Outcomes> => {
  const now = app.clock.now()
  const taken = await app.db.transaction(async (trx) => {
    const each: Taken[] = []
    for (const report of reports)
      each.push(await intake(trx, report, { location, making: { now, newId: app.newId } }))
    return each
  })
  // A finished run may be what the next one of its check was waiting for.
  for (const name of new Set([location, resultStored, ...taken.flatMap(({ wake }) => wake)]))
    app.wakeups.wake(name)
  return reports.map(({ jobId }, position) => ({ jobId, outcome: taken[position]?.outcome ?? 'refused' }))
}

const intake = async (
  trx: Db,
  report: Report,
  { location, making }: { location: string; making: Making },
): Promise<Taken> => {
  const job = await trx.get(findJob, { id: report.jobId })
  if (job === undefined) {
    const known = await trx.get(findResultId, { id: report.jobId })
    return { outcome: known ? 'duplicate' : 'stale', wake: [] }
  }
  if (job.location !== location || job.fence !== report.fence) return { outcome: 'stale', wake: [] }
  const check = await trx.get(findCheckForIntake, { id: job.check_id })
  if (check === undefined) return { outcome: 'stale', wake: [] }
  const verdict = evaluate(report.outcome, JSON.parse(check.doc) as Judgement)
  await trx.run(insertResult, resultRow(job, report, { verdict, name: check.name, now: making.now }))
  await trx.run(deleteJob, { id: job.id })
  if (!verdict.isCancelled) await trx.run(recordStatus, statusOf(job, report, { verdict, now: making.now }))
  const wake = await endRunOfSession(trx, job, { state: runState(verdict), ...making })
  return { outcome: 'accepted', wake }
}

const runState = (verdict: Verdict) => {
  if (verdict.isCancelled) return 'cancelled'
  if (verdict.hasErrors) return 'errored'
  if (verdict.hasFailures) return 'failed'
  return verdict.isDegraded ? 'degraded' : 'passed'
}

type Judged = { verdict: Verdict; now: number }

const statusOf = (job: JobsTable, report: Report, { verdict, now }: Judged): NewStatus => ({
  checkId: job.check_id,
  accountId: job.account_id,
  state: verdict.hasFailures || verdict.hasErrors ? 'failing' : verdict.isDegraded ? 'degraded' : 'passing',
  hasFailures: verdict.hasFailures,
  hasErrors: verdict.hasErrors,
  isDegraded: verdict.isDegraded,
  runMs: verdict.responseTime,
  location: job.run_location,
  checkRunId: job.check_run_id,
  startedAt: report.startedAt,
  sslDaysRemaining: certificateDays(report),
  now,
})

/** Of the certificate that the run saw, if it saw one. */
const certificateDays = ({ outcome }: Report): number | null => {
  if (outcome.kind !== 'observed') return null
  const detail = outcome.observation.detail as {
    response?: { certificate?: { daysRemaining?: number } }
  } | null
  return detail?.response?.certificate?.daysRemaining ?? null
}

const resultRow = (job: JobsTable, report: Report, { verdict, name, now }: Judged & { name: string }) => ({
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
  doc: JSON.stringify(resultDoc(job.check_type as CheckType, name, report)),
})

/** What the result shows beyond its columns: the check's name then, the type's own part and why it failed. */
const resultDoc = (type: CheckType, name: string, { outcome, log }: Report) => {
  if (outcome.kind !== 'observed')
    return { name, log, error: outcome.kind === 'could-not-run' ? outcome.reason : 'The run was cancelled.' }
  const { failure, detail, metrics } = outcome.observation
  const property = checkProtocols[type]?.resultProperty
  return { name, log, failure, metrics, ...(property === undefined ? {} : { [property]: detail }) }
}
