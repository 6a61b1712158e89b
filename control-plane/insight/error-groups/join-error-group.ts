import type { Db } from '../../platform/database/db.ts'
import { requestAutomaticAnalysis } from '../root-cause-analyses/automatic-analysis.ts'
import { cleanErrorMessage } from './clean-error-message.ts'
import { errorHash, groupId } from './group-id.ts'
import { upsertErrorGroup } from './queries.ts'

/** Of the raw message this much is kept, in characters. */
const maxRawLength = 4096

export type FailedRun = {
  accountId: string
  checkId: string
  checkType: string
  message: string
  /** Start of the run, epoch milliseconds. */
  at: number
  /** When the result arrived, epoch milliseconds. */
  now: number
}

/**
 * The error group of a failing FINAL result, made when its error is new: one statement. A new group of an account that
 * wants automatic analyses gets one, once for ever. Belongs in the transaction that stores the result.
 */
export const joinErrorGroup = async (trx: Db, run: FailedRun): Promise<string> => {
  const { accountId, checkId, message, at } = run
  const cleaned = cleanErrorMessage(message)
  const hash = errorHash(cleaned)
  const id = groupId(checkId, hash)
  const raw = message.slice(0, maxRawLength).toWellFormed()
  const group = await trx.get(upsertErrorGroup, { id, accountId, checkId, hash, raw, cleaned, at })
  if (group?.events === 1) await requestAutomaticAnalysis(trx, { ...run, errorGroupId: id })
  return id
}
