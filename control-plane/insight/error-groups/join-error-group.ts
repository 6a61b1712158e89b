import type { FinalResult } from '../../monitoring/outcomes/consequences.ts'
import { cleanErrorMessage } from '../../monitoring/runs/clean-error-message.ts'
import { errorHash, groupId } from '../../monitoring/runs/error-group-id.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { requestAutomaticAnalysis } from '../root-cause-analyses/automatic-analysis.ts'
import { upsertErrorGroup } from './queries.ts'

/** Of the raw message this much is kept, in characters. */
const maxRawLength = 4096

type FailedRun = Pick<FinalResult, 'accountId' | 'checkId' | 'checkType' | 'startedAt'> & { error: string }

/**
 * The error group of a failing final result, made when its error is new: one statement. A new group of an account that
 * wants automatic analyses gets one, once for ever. Belongs in the transaction that stores the result.
 */
export const joinErrorGroup = async (
  trx: Db,
  result: FailedRun,
  { now }: Pick<Stamp, 'now'>,
): Promise<void> => {
  const { accountId, checkId, checkType, error, startedAt: at } = result
  const cleaned = cleanErrorMessage(error)
  const hash = errorHash(cleaned)
  const id = groupId(checkId, hash)
  const raw = error.slice(0, maxRawLength).toWellFormed()
  const group = await trx.get(upsertErrorGroup, { id, accountId, checkId, hash, raw, cleaned, at })
  if (group?.events === 1)
    await requestAutomaticAnalysis(trx, { accountId, checkId, checkType, errorGroupId: id, now })
}
