import { findCheck } from '../../monitoring/definitions/checks/queries.ts'
import { latestCopies } from '../../monitoring/definitions/tested-checks/queries.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { ErrorGroupsTable } from '../../platform/store/database/tables/analysis.ts'
import type { ChecksTable } from '../../platform/store/database/tables/runs.ts'

type AnalysedCheck = Pick<ChecksTable, 'type' | 'doc' | 'updated_at'>

/** Of what failed in tests the copy that was run last, whose check may be another by now, or have never been saved. */
export const analysedCheck = async (db: Db, group: ErrorGroupsTable): Promise<AnalysedCheck | undefined> => {
  const { check_id: checkId, account_id: accountId } = group
  if (!group.of_tests) return db.get(findCheck, { id: checkId, accountId })
  const [copy] = await db.all(latestCopies, { accountId, checkId, limit: 1 })
  return copy === undefined ? undefined : { type: copy.type, doc: copy.doc, updated_at: null }
}
