import { type CheckType, protocolOf } from '../../../protocol/check-type.ts'
import { isTestRun } from '../../../protocol/job.ts'
import type { Report } from '../../../protocol/result.ts'
import type { Verdict } from '../../../protocol/verdict.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import { type ResultDoc, resultDoc } from '../results/result-doc.ts'

/**
 * What is known of an attempt beside its job and report. `error`: why it failed, in one sentence; null if it did not.
 * `retried`: another attempt follows.
 */
type ResultFacts = {
  verdict: Verdict
  name: string
  error: string | null
  errorGroupIds: string[]
  retried: boolean
  late: LateFacts | null
  now: number
}

/** Of a run that an agent made by itself while it could not reach us: by which version of its check, and whether it was recorded as missed before it arrived. */
export type LateFacts = { checkVersion: number; replacedMissedRun: boolean }

/** A finished attempt as `insertResults` takes it. */
export const resultRow = (job: JobsTable, report: Report, judged: ResultFacts) => ({
  id: job.id,
  accountId: job.account_id,
  checkId: job.check_id,
  checkType: job.check_type,
  resultType: judged.retried ? 'ATTEMPT' : 'FINAL',
  location: job.run_location,
  dueAt: job.due_at,
  startedAt: report.startedAt,
  stoppedAt: report.stoppedAt,
  now: judged.now,
  responseTime: judged.verdict.responseTime,
  hasFailures: judged.verdict.hasFailures,
  hasErrors: judged.verdict.hasErrors,
  isDegraded: judged.verdict.isDegraded,
  isCancelled: judged.verdict.isCancelled,
  overMax: judged.verdict.overMaxResponseTime,
  attempts: job.attempt - 1,
  sequenceId: job.sequence_id,
  checkRunId: job.check_run_id,
  doc: resultDoc.write(docOf(job.check_type as CheckType, report, judged)),
})

/** What the result shows beyond its columns: the check's name then, why it failed, and the type's own part. */
const docOf = (
  type: CheckType,
  { outcome, log, artifacts = [] }: Report,
  { name, error, errorGroupIds, late }: ResultFacts,
): ResultDoc => {
  const common = {
    name,
    error,
    errorGroupIds,
    log,
    ...(artifacts.length > 0 ? { artifacts: artifacts.length } : {}),
    ...(late === null ? {} : { ...late, arrivedLate: true }),
  }
  if (outcome.kind !== 'observed') return common
  const { failure, detail, metrics, trace } = outcome.observation
  const { resultProperty } = protocolOf(type)
  return {
    ...common,
    ...trace,
    failure,
    metrics,
    ...(resultProperty === null ? {} : { [resultProperty]: detail }),
  }
}

/** The run that a job executes, as events name it. */
export const runOf = (job: JobsTable) => ({
  accountId: job.account_id,
  checkId: job.check_id,
  checkType: job.check_type,
  checkRunId: job.check_run_id,
  sequenceId: job.sequence_id,
  sessionId: job.session_id,
  isTest: isTestRun(job.run_source),
  location: job.run_location,
})
