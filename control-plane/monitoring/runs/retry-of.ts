import type { Report } from '../../../protocol/result.ts'
import { nextRetry, type Retry, retryStrategyOf } from '../../../protocol/retry.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import type { GroupDoc } from '../definitions/check-groups/schema.ts'
import type { JudgedDoc } from '../definitions/checks/check-doc-cache.ts'

/** Of a check, what its runs are judged and retried by. */
export type RetriedCheck = { groupId: number | null; doc: JudgedDoc }

type FailedAttempt = { job: JobsTable; report: Report; check: RetriedCheck; group: GroupDoc | null }

/** Whether and how a failed attempt is repeated; one that could not be run is, like any other. Null: it is final. Pure. */
export const retryOf = ({ job, report, check: { doc }, group }: FailedAttempt): Retry | null => {
  const { outcome, startedAt, stoppedAt } = report
  return nextRetry(retryStrategyOf(doc, group), {
    attempt: job.attempt,
    networkError: outcome.kind === 'observed' && outcome.observation.failure?.network === true,
    elapsedMs: stoppedAt - (job.first_started_at ?? startedAt),
    parallel: group?.runParallel ?? doc.runParallel ?? false,
  })
}
