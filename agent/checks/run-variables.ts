import type { Job } from '../../protocol/job.ts'

/** What the service provides; variables of the account, the group and the check come before it. */
export const runVariables = (job: Omit<Job, 'spec'>): [string, string][] => [
  ['ACCOUNT_ID', job.accountId],
  ['CHECK_ID', job.checkId],
  ['CHECK_NAME', job.checkName],
  ['CHECK_TYPE', job.checkType],
  ['REGION', job.runLocation],
  ['CHECK_RESULT_ID', job.id],
  ['CHECK_RUN_ID', String(job.checkRunId)],
  ...(job.runtimeId === null ? [] : [['RUNTIME_VERSION', job.runtimeId] as [string, string]]),
]
