import type { Report } from '../../../protocol/result.ts'
import { nextRetry, type Retry, retryStrategyOf } from '../../../protocol/retry.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import { findGroup } from '../definitions/check-groups/queries.ts'
import { groupDoc } from '../definitions/check-groups/schema.ts'
import type { JudgedDoc } from '../definitions/checks/check-doc-cache.ts'

/** Of a check, what its runs are judged and retried by. */
export type RetriedCheck = { groupId: number | null; doc: JudgedDoc }

type FailedAttempt = { job: JobsTable; report: Report; check: RetriedCheck }

/** Whether and how a failed attempt is repeated; one that could not be run is, like any other. Null: it is final. */
export const retryOf = async (trx: Db, { job, report, check }: FailedAttempt): Promise<Retry | null> => {
  const { groupId, doc } = check
  const row =
    groupId === null ? undefined : await trx.get(findGroup, { id: groupId, accountId: job.account_id })
  const group = row ? groupDoc.read(row.doc) : null
  const { outcome, startedAt, stoppedAt } = report
  return nextRetry(retryStrategyOf(doc, group), {
    attempt: job.attempt,
    networkError: outcome.kind === 'observed' && outcome.observation.failure?.network === true,
    elapsedMs: stoppedAt - (job.first_started_at ?? startedAt),
    parallel: group?.runParallel ?? doc.runParallel ?? false,
  })
}
