/**
 * What follows from a final result, beside its row: the check's status, the end of its run in a session, and the door for
 * final outcomes. Belongs in the transaction that stores the result; attempts that are retried have no part in it.
 */

import type { Db } from '../../platform/database/db.ts'
import type { JobsTable } from '../../platform/database/tables/runs.ts'
import { alertSeenCertificate } from '../certificate-expiry/alert-on-run-certificate.ts'
import { endRunOfSession, type Making } from '../check-sessions/advance-session.ts'
import { recordStatus } from '../check-statuses/queries.ts'
import { answerOf } from '../checks/types/index.ts'
import type { Verdict } from './evaluate.ts'
import { takeFinal } from './final-outcome.ts'

export type Concluded = {
  resultId: string
  verdict: Verdict
  runLocation: string
  startedAt: number
  stoppedAt: number
  error: string | null
  /** The type's own part of the result; null where there was no observation. */
  detail: unknown
  /** Known to have no alert state: a verdict that is not bad changes nothing then. */
  isWell: boolean
}

/** Returns the names to wake after the commit. */
export const concludeRun = async (
  trx: Db,
  job: Pick<JobsTable, 'check_id' | 'check_type' | 'account_id' | 'check_run_id' | 'sequence_id' | 'lane'>,
  ended: Concluded,
  making: Making,
): Promise<string[]> => {
  const { verdict } = ended
  const { status, certificate } = answerOf(job.check_type, ended.detail)
  if (!verdict.isCancelled)
    await trx.run(recordStatus, {
      checkId: job.check_id,
      accountId: job.account_id,
      state:
        verdict.hasFailures || verdict.hasErrors ? 'failing' : verdict.isDegraded ? 'degraded' : 'passing',
      hasFailures: verdict.hasFailures,
      hasErrors: verdict.hasErrors,
      isDegraded: verdict.isDegraded,
      runMs: verdict.responseTime,
      location: ended.runLocation,
      checkRunId: job.check_run_id,
      startedAt: ended.startedAt,
      sslDaysRemaining: certificate?.daysRemaining ?? null,
      now: making.now,
    })
  const expiry = await alertSeenCertificate(
    trx,
    { accountId: job.account_id, checkId: job.check_id, checkResultId: ended.resultId, certificate },
    making,
  )
  const sessions = await endRunOfSession(trx, job, { state: runState(verdict), ...making })
  const level = levelOf(verdict)
  if (ended.isWell && (level === 'passing' || level === 'none')) return [...sessions, ...expiry]
  const alerts = await takeFinal(
    trx,
    {
      checkId: job.check_id,
      accountId: job.account_id,
      level,
      checkRunId: job.check_run_id,
      stoppedAt: ended.stoppedAt,
      id: ended.resultId,
      details: {
        checkResultId: ended.resultId,
        errorMessage: ended.error,
        responseTime: verdict.responseTime,
        apiStatus: status,
        runLocation: ended.runLocation,
        startedAt: ended.startedAt,
      },
    },
    making,
  )
  return [...sessions, ...expiry, ...alerts]
}

const runState = (verdict: Verdict) => {
  if (verdict.isCancelled) return 'cancelled'
  if (verdict.hasErrors) return 'errored'
  if (verdict.hasFailures) return 'failed'
  return verdict.isDegraded ? 'degraded' : 'passed'
}

const levelOf = (verdict: Verdict) => {
  if (verdict.isCancelled || verdict.hasErrors) return 'none'
  if (verdict.hasFailures) return 'failing'
  return verdict.isDegraded ? 'degraded' : 'passing'
}
