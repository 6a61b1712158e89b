import { pausesWithin } from '../../communication/maintenance-windows/active-windows.ts'
import type { Interval } from '../../communication/maintenance-windows/phases.ts'
import { windowsOfAccounts } from '../../communication/maintenance-windows/window-plans.ts'
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'

/** Asked of the definitions of checks; answered in `control-plane/lookups.ts`. */
export type HasTags = {
  lookups: {
    /** By the id of the check, its group's tags among them: those that a schedule is paused by. */
    tagsOfChecks(db: Db, accountId: string, checkIds: readonly string[]): Promise<Map<string, string[]>>
  }
}

type CheckKey = { check_id: string; account_id: string }

/**
 * When each of these checks is paused by maintenance, within `within`; checks that are not are left out. Accounts without
 * windows, nearly all of them nearly always, cost one query together.
 */
export const pausesOfChecks = async (
  { db, lookups }: Pick<App, 'db'> & HasTags,
  scheduled: readonly CheckKey[],
  within: Interval,
): Promise<Map<string, Interval[]>> => {
  const pauses = new Map<string, Interval[]>()
  const accountIds = [...new Set(scheduled.map(({ account_id }) => account_id))]
  const windows = await windowsOfAccounts(db, accountIds, within.from)
  for (const [accountId, plans] of windows) {
    const intervalsFor = pausesWithin(plans, within)
    const checkIds = scheduled
      .filter(({ account_id }) => account_id === accountId)
      .map(({ check_id }) => check_id)
    for (const [checkId, checkTags] of await lookups.tagsOfChecks(db, accountId, checkIds)) {
      const intervals = intervalsFor(checkTags)
      if (intervals.length > 0) pauses.set(checkId, intervals)
    }
  }
  return pauses
}
