import { accountDoc } from '../../access/accounts/account-doc.ts'
import { accountsById } from '../../access/accounts/queries.ts'
import { namedUuid } from '../../monitoring/runs/error-group-id.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { runForRows } from '../../platform/store/database/row-statement.ts'
import { analysisRows } from './queries.ts'

type NewGroup = { accountId: string; checkId: string; checkType: string; errorGroupId: string; now: number }

/**
 * Asks for the analyses of new error groups where their accounts' settings say so. Its id follows from the group's: a
 * second request for the same group is the same row.
 */
export const requestAutomaticAnalyses = async (trx: Db, groups: readonly NewGroup[]): Promise<void> => {
  if (groups.length === 0) return
  const ids = [...new Set(groups.map(({ accountId }) => accountId))]
  const asking = new Set(
    (await trx.all(accountsById, { ids })).flatMap(({ id, doc }) =>
      accountDoc.read(doc).settings.automaticAnalyses ? [id] : [],
    ),
  )
  await runForRows(
    trx,
    analysisRows,
    groups
      .filter(({ accountId }) => asking.has(accountId))
      .map((group) => ({ id: namedUuid('automatic', group.errorGroupId), userContext: '', ...group })),
  )
}
