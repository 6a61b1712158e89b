import { pausesWithin } from '../../communication/maintenance-windows/active-windows.ts'
import type { Interval } from '../../communication/maintenance-windows/phases.ts'
import { windowsOfAccounts } from '../../communication/maintenance-windows/window-plans.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { groupsOfAccount } from '../definitions/check-groups/queries.ts'
import { groupDoc } from '../definitions/check-groups/schema.ts'
import { checkDoc } from '../definitions/checks/check-doc.ts'
import { checksById } from '../definitions/checks/checks-by-id.ts'

type CheckKey = { check_id: string; account_id: string }

/**
 * When each of these checks is paused by maintenance, within `within`; checks that are not are left out. Accounts without
 * windows, nearly all of them nearly always, cost one query together.
 */
export const pausesOfChecks = async (
  db: Db,
  scheduled: readonly CheckKey[],
  within: Interval,
): Promise<Map<string, Interval[]>> => {
  const pauses = new Map<string, Interval[]>()
  const accountIds = [...new Set(scheduled.map(({ account_id }) => account_id))]
  const windows = await windowsOfAccounts(db, accountIds, within.from)
  for (const [accountId, plans] of windows) {
    const intervalsFor = pausesWithin(plans, within)
    const tags = await tagsOfChecks(db, accountId, scheduled)
    for (const [checkId, checkTags] of tags) {
      const intervals = intervalsFor(checkTags)
      if (intervals.length > 0) pauses.set(checkId, intervals)
    }
  }
  return pauses
}

/** A group's tags count as its checks'. */
const tagsOfChecks = async (
  db: Db,
  accountId: string,
  scheduled: readonly CheckKey[],
): Promise<Map<string, string[]>> => {
  const ids = scheduled.filter(({ account_id }) => account_id === accountId).map(({ check_id }) => check_id)
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
