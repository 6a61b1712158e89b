import type { Db } from '../../platform/database/db.ts'
import { deleteAnalysesOfCheck } from '../root-cause-analyses/queries.ts'
import { deleteErrorGroupsOfCheck } from './queries.ts'

/** What goes with a check: its error groups and their analyses. Belongs in the transaction that deletes the check. */
export const deleteErrorGroups = async (trx: Db, checkId: string): Promise<void> => {
  await trx.run(deleteAnalysesOfCheck, { checkId })
  await trx.run(deleteErrorGroupsOfCheck, { checkId })
}
