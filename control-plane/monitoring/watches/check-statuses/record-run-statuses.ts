import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { runForRows } from '../../../platform/store/database/row-statement.ts'
import { answerOf } from '../../definitions/checks/types/index.ts'
import type { FinalResult } from '../../outcomes/consequences.ts'
import { checkStateOf } from '../../outcomes/verdict.ts'
import { mergeStatuses } from './merge-statuses.ts'
import { type NewStatus, statusRows } from './queries.ts'

/** The statuses of checks after runs of them; a cancelled run says nothing. */
export const recordRunStatuses = async (
  trx: Db,
  results: readonly FinalResult[],
  { now }: Pick<Stamp, 'now'>,
): Promise<void> => {
  const told = results.filter(({ verdict }) => !verdict.isCancelled)
  for (const rows of mergeStatuses(told.map((result) => statusAfter(result, now))))
    await runForRows(trx, statusRows, rows)
}

const statusAfter = (result: FinalResult, now: number): NewStatus => {
  const { verdict } = result
  return {
    checkId: result.checkId,
    accountId: result.accountId,
    state: checkStateOf(verdict),
    hasFailures: verdict.hasFailures,
    hasErrors: verdict.hasErrors,
    isDegraded: verdict.isDegraded,
    longestRunMs: verdict.responseTime,
    shortestRunMs: verdict.responseTime,
    location: result.location,
    checkRunId: result.checkRunId,
    startedAt: result.startedAt,
    sslDaysRemaining: answerOf(result.checkType, result.detail).certificate?.daysRemaining ?? null,
    now,
    updatedAt: null,
  }
}
