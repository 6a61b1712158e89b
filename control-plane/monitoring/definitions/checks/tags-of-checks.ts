import type { HasTags } from '../../schedule/pauses-of-checks.ts'
import { groupsOfAccount } from '../check-groups/queries.ts'
import { groupDoc } from '../check-groups/schema.ts'
import { checkDoc } from './check-doc.ts'
import { checksById } from './checks-by-id.ts'

/** A group's tags count as its checks'. */
export const tagsOfChecks: HasTags['lookups']['tagsOfChecks'] = async (db, accountId, ids) => {
  const groups = await db.all(groupsOfAccount, { accountId })
  const groupTags = new Map(groups.map(({ id, doc }) => [id, groupDoc.read(doc).tags]))
  const checks = await db.all(checksById, { ids })
  return new Map(
    checks.map(({ id, group_id, doc }) => [
      id,
      [...checkDoc.read(doc).tags, ...(group_id === null ? [] : (groupTags.get(group_id) ?? []))],
    ]),
  )
}
