import { type CheckType, protocolOf } from '../../../protocol/check-type.ts'
import { joinErrorGroup } from '../../insight/error-groups/join-error-group.ts'
import type { Db } from '../../platform/database/db.ts'
import type { JobsTable } from '../../platform/database/tables/runs.ts'
import type { Making } from '../check-sessions/advance-session.ts'
import { concludeRun } from './conclude-run.ts'
import { lastAttempt, makeFinal } from './result-queries.ts'

/**
 * The retry of a run came to nothing (no agent, downtime of ours): the attempt before it is the run's final result after
 * all, so that the due time still ends as exactly one. Returns the names to wake after the commit.
 */
export const promoteLastAttempt = async (trx: Db, job: JobsTable, making: Making): Promise<string[]> => {
  const attempt = await trx.get(lastAttempt, {
    checkId: job.check_id,
    sequenceId: job.sequence_id,
    since: job.first_started_at ?? job.due_at,
  })
  if (!attempt) return []
  const doc = JSON.parse(attempt.doc) as Record<string, unknown> & { error: string | null }
  const { error } = doc
  const group = {
    accountId: attempt.account_id,
    checkId: attempt.check_id,
    checkType: attempt.check_type,
    at: attempt.started_at,
    now: making.now,
  }
  const errorGroupIds = error === null ? [] : [await joinErrorGroup(trx, { ...group, message: error })]
  await trx.run(makeFinal, { id: attempt.id, doc: JSON.stringify({ ...doc, errorGroupIds }) })
  const { resultProperty } = protocolOf(attempt.check_type as CheckType)
  return concludeRun(
    trx,
    job,
    {
      resultId: attempt.id,
      verdict: {
        hasFailures: attempt.has_failures === 1,
        hasErrors: attempt.has_errors === 1,
        isDegraded: attempt.is_degraded === 1,
        isCancelled: false,
        overMaxResponseTime: attempt.over_max === 1,
        responseTime: attempt.response_time,
      },
      runLocation: attempt.location,
      startedAt: attempt.started_at,
      stoppedAt: attempt.stopped_at,
      error,
      detail: resultProperty === null ? null : (doc[resultProperty] ?? null),
      isWell: false,
    },
    making,
  )
}
