import { subjectText } from '../../../alerting/alert-channels/subscriptions.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { checksById } from '../../definitions/checks/checks-by-id.ts'
import { dependentsOn } from '../../definitions/dependencies/queries.ts'
import { apart } from '../../definitions/dependencies/schema.ts'
import { activeChecksOfGroups, lookAgainNow } from './queries.ts'

/** Checks among these dependents: those that are named, and those of groups that are. */
const checksOf = async (db: Db, accountId: string, dependents: readonly string[]): Promise<string[]> => {
  const { checkIds, groupIds } = apart(dependents)
  const ofGroups = await activeChecksOfGroups(db, accountId, groupIds)
  return [...new Set([...checkIds, ...ofGroups.map(({ id }) => id)])]
}

/** What is told as a number needs no more. */
const mostCounted = 10_000

/** How many checks depend on it, by way of others too: each step is one statement. */
export const countDependents = async (
  db: Db,
  accountId: string,
  { checkId, first }: { checkId: string; first: readonly string[] },
): Promise<number> => {
  const found = new Set([checkId])
  let dependents = first
  while (dependents.length > 0 && found.size <= mostCounted) {
    const checks = (await checksOf(db, accountId, dependents)).filter((id) => !found.has(id))
    for (const id of checks) found.add(id)
    const texts = checks.map((id) => subjectText({ checkId: id }))
    dependents = (await db.all(dependentsOn, { texts })).map(({ dependent }) => dependent)
  }
  return found.size - 1
}

/** What may be kept back because of a check, of which something is known now, is looked at again. */
export const wakeDependents = async (
  trx: Db,
  { accountId, dependents, now }: { accountId: string; dependents: readonly string[]; now: number },
): Promise<void> => {
  if (dependents.length === 0) return
  const ids = (await checksOf(trx, accountId, dependents)).toSorted()
  if (ids.length > 0) await trx.run(lookAgainNow, { ids, now })
}

/** A check was run for their sake, whatever came of it. */
export const wakeDependentsOf = async (
  trx: Db,
  { accountId, checkId, now }: { accountId: string; checkId: string; now: number },
): Promise<void> => {
  const groups = (await trx.all(checksById, { ids: [checkId] })).flatMap(({ group_id }) => group_id ?? [])
  const texts = [subjectText({ checkId }), ...groups.map((groupId) => subjectText({ groupId }))]
  const found = await trx.all(dependentsOn, { texts })
  await wakeDependents(trx, { accountId, dependents: found.map(({ dependent }) => dependent), now })
}
