import { accountDoc } from '../../access/accounts/account-doc.ts'
import { findAccount } from '../../access/accounts/queries.ts'
import { namedUuid } from '../../monitoring/runs/error-group-id.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { insertAnalysis } from './queries.ts'

type NewGroup = { accountId: string; checkId: string; checkType: string; errorGroupId: string; now: number }

/**
 * Asks for the analysis of a new error group where the account's settings say so. Its id follows from the group's: a
 * second request for the same group is the same row.
 */
export const requestAutomaticAnalysis = async (trx: Db, group: NewGroup): Promise<void> => {
  const account = await trx.get(findAccount, { id: group.accountId })
  if (!account || !accountDoc.read(account.doc).settings.automaticAnalyses) return
  await trx.run(insertAnalysis, { id: namedUuid('automatic', group.errorGroupId), userContext: '', ...group })
}
