import type { JobsTable } from '../../platform/store/database/tables/runs.ts'

/** The run that a job executes, as events name it. */
export const runOf = (job: JobsTable) => ({
  accountId: job.account_id,
  checkId: job.check_id,
  checkType: job.check_type,
  checkRunId: job.check_run_id,
  sequenceId: job.sequence_id,
  sessionId: job.session_id,
  location: job.run_location,
})
