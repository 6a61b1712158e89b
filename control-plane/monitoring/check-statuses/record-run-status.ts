import type { Stamp } from '../../platform/clock/stamp.ts'
import type { FinalResult } from '../../platform/consequences.ts'
import type { Db } from '../../platform/database/db.ts'
import { checkStateOf } from '../../platform/shapes/verdict.ts'
import { answerOf } from '../checks/types/index.ts'
import { recordStatus } from './queries.ts'

/** The check's status after a run of it; a cancelled run says nothing. */
export const recordRunStatus = async (
  trx: Db,
  result: FinalResult,
  { now }: Pick<Stamp, 'now'>,
): Promise<void> => {
  const { verdict } = result
  if (verdict.isCancelled) return
  await trx.run(recordStatus, {
    checkId: result.checkId,
    accountId: result.accountId,
    state: checkStateOf(verdict),
    hasFailures: verdict.hasFailures,
    hasErrors: verdict.hasErrors,
    isDegraded: verdict.isDegraded,
    runMs: verdict.responseTime,
    location: result.location,
    checkRunId: result.checkRunId,
    startedAt: result.startedAt,
    sslDaysRemaining: answerOf(result.checkType, result.detail).certificate?.daysRemaining ?? null,
    now,
  })
}
