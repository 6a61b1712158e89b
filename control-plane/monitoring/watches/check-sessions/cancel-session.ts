import type { App } from '../../../platform/app/app.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { CheckSessionsTable } from '../../../platform/store/database/tables/check-sessions.ts'
import type { JobsTable } from '../../../platform/store/database/tables/runs.ts'
import { resultDoc } from '../../results/result-doc.ts'
import { insertResults } from '../../runs/result-queries.ts'
import { deleteJob } from '../../schedule/job-queries.ts'
import { checkIdOf, endSessionRun } from './advance-session.ts'
import { advanceTest, lockTestOfSession } from './advance-test.ts'
import { jobsOfSession, updateSession } from './queries.ts'
import { sessionWakeup } from './session-status.ts'

type Cancellation = { session: CheckSessionsTable; sequenceIds: readonly string[] | null }

/**
 * Ends runs of a session, all or those named: each becomes a cancelled final result, which never alerts. An agent that is
 * running one learns at its next renewal that the lease is gone, and stops; what it reports is a repeat.
 */
export const cancelSession = async (
  app: App & HasWakeups,
  { session, sequenceIds }: Cancellation,
): Promise<void> => {
  const now = app.clock.now()
  const stamp = { now, newId: app.newId }
  const wake = await app.db.transaction(async (trx) => {
    const locations: string[] = []
    const jobs = await trx.all(jobsOfSession, { sessionId: session.id, checkId: checkIdOf(session) })
    for (const job of jobs) {
      if (sequenceIds !== null && !sequenceIds.includes(job.sequence_id)) continue
      if ((await trx.run(deleteJob, { id: job.id })) === 0) continue
      await insertResults(trx, [cancelledResult(job, session.name, now)])
      const { id: sessionId, is_test: isTest } = session
      const ended = { sessionId, sequenceId: job.sequence_id, isTest, state: 'cancelled' } as const
      locations.push(...(await endSessionRun(trx, ended, stamp)))
    }
    if (jobs.length === 0 && session.stopped_at === null && sequenceIds === null)
      locations.push(...(await cancelWaiting(trx, session, stamp)))
    return locations
  })
  for (const name of new Set([...wake, sessionWakeup(session.id)])) app.wakeups.wake(name)
}

/** It was not let go yet. */
const cancelWaiting = async (trx: Db, session: CheckSessionsTable, stamp: Stamp): Promise<string[]> => {
  const { id, is_test: isTest, started_at: startedAt } = session
  const test = isTest ? await trx.get(lockTestOfSession, { sessionId: id }) : undefined
  await trx.run(updateSession, { id, status: 'CANCELLED', startedAt, stoppedAt: stamp.now })
  return test === undefined ? [] : advanceTest(trx, test, stamp)
}

const cancelledResult = (job: JobsTable, name: string, now: number) => ({
  id: job.id,
  accountId: job.account_id,
  checkId: job.check_id,
  checkType: job.check_type,
  resultType: 'FINAL',
  location: job.run_location,
  dueAt: job.due_at,
  startedAt: Math.min(now, job.run_at),
  stoppedAt: now,
  now,
  responseTime: 0,
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  isCancelled: true,
  overMax: false,
  attempts: job.attempt - 1,
  sequenceId: job.sequence_id,
  checkRunId: job.check_run_id,
  doc: resultDoc.write({ name, error: 'The run was cancelled.' }),
})
