import { subjectText } from '../../../alerting/alert-channels/subscriptions.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { groupsById } from '../check-groups/queries.ts'
import { checksAmong } from './queries.ts'
import { apart } from './schema.ts'

/** Of checks and groups by their texts; those that are gone have none. */
export const namesOf = async (
  db: Db,
  accountId: string,
  texts: readonly string[],
): Promise<Map<string, string>> => {
  const { checkIds, groupIds } = apart(texts)
  const checks = await checksAmong(db, accountId, { checkIds, groupIds: [] })
  const groups = await groupsById(db, [accountId], groupIds)
  return new Map([
    ...checks.map(({ id, name }) => [subjectText({ checkId: id }), name] as const),
    ...groups.map(({ id, name }) => [subjectText({ groupId: id }), name] as const),
  ])
}
