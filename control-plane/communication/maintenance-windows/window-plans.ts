/** From rows to what the pure rules work on: a window with its recurrence, its effect and what was done by hand. */
import type { Db } from '../../platform/store/database/db.ts'
import type {
  MaintenanceExceptionsTable,
  MaintenanceUpdatesTable,
  MaintenanceWindowsTable,
} from '../../platform/store/database/tables/maintenance-windows.ts'
import type { Exception, WindowPlan } from './active-windows.ts'
import { exceptionsOfWindow, updatesOfWindow } from './occurrence-queries.ts'
import { lastIndex, occurrenceAt } from './occurrences.ts'
import type { MaintenanceStatus } from './phases.ts'
import { accountsWithOpenWindows, openWindows } from './queries.ts'
import { windowDoc } from './window-doc.ts'

export type OccurrenceChanges = {
  exceptions: MaintenanceExceptionsTable[]
  updates: MaintenanceUpdatesTable[]
}

export const untouched: OccurrenceChanges = { exceptions: [], updates: [] }

const allDates = { fromDate: '', toDate: '9999-99-99' }

/** Updates only of occurrences between two dates, where that is all that is needed. */
export const touchedOf = async (trx: Db, windowId: number, dates = allDates): Promise<OccurrenceChanges> => ({
  exceptions: await trx.all(exceptionsOfWindow, { windowId }),
  updates: await trx.all(updatesOfWindow, { windowId, ...dates }),
})

type PlannedRow = Pick<MaintenanceWindowsTable, 'starts_at' | 'ends_at' | 'doc'>

export const planOf = (row: PlannedRow, touched: OccurrenceChanges): WindowPlan => {
  const doc = windowDoc.read(row.doc)
  const { enabled, autoStart, autoEnd } = doc.statusPageVisibility
  return {
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    timezone: doc.timezone,
    repeatUnit: doc.repeatUnit,
    repeatInterval: doc.repeatInterval,
    repeatEndsAt: doc.repeatEndsAt,
    autoStart: !enabled || autoStart,
    autoEnd: !enabled || autoEnd,
    tags: doc.tags,
    pauseAllChecks: doc.pauseAllChecks,
    silenceAlertsTags: doc.silenceAlertsTags,
    silenceAllAlerts: doc.silenceAllAlerts,
    exceptions: exceptionsByDate(touched),
  }
}

/** When the window can no longer act on anything; null where that is open. */
export const overAt = (plan: WindowPlan): number | null => {
  if (!plan.autoEnd || plan.exceptions.size > 0) return null
  const last = lastIndex(plan)
  return Number.isFinite(last) ? (occurrenceAt(plan, last)?.endsAt ?? null) : null
}

/**
 * The windows of several accounts that may act at `now` or later, by account; accounts without any are left out. For
 * `pausedAt` and `silencedAt`.
 */
export const windowsOfAccounts = async (
  db: Db,
  accountIds: readonly string[],
  now: number,
): Promise<Map<string, WindowPlan[]>> => {
  const byAccount = new Map<string, WindowPlan[]>()
  if (accountIds.length === 0) return byAccount
  for (const row of await db.all(openWindows, { accountIds, now })) {
    // Nobody has touched an occurrence of a window whose end is known.
    const touched = row.over_at === null ? await touchedOf(db, row.id) : untouched
    const known = byAccount.get(row.account_id)
    if (known) known.push(planOf(row, touched))
    else byAccount.set(row.account_id, [planOf(row, touched)])
  }
  return byAccount
}

export const windowsOfAccount = async (db: Db, accountId: string, now: number): Promise<WindowPlan[]> =>
  (await windowsOfAccounts(db, [accountId], now)).get(accountId) ?? []

const exceptionsByDate = ({ exceptions, updates }: OccurrenceChanges): Map<string, Exception> => {
  const byDate = new Map<string, Exception>()
  for (const row of exceptions)
    byDate.set(row.date, {
      startsAt: row.starts_at,
      endsAt: row.ends_at,
      deleted: row.deleted,
      updates: [],
    })
  for (const { date, created_at: at, status } of updates) {
    const known = byDate.get(date) ?? { startsAt: null, endsAt: null, deleted: false, updates: [] }
    const update = { at, status: status as MaintenanceStatus }
    byDate.set(date, { ...known, updates: [...known.updates, update] })
  }
  return byDate
}

/** Accounts with windows that may act at `now` or later. */
export const accountsWithWindows = async (db: Db, now: number): Promise<string[]> =>
  (await db.all(accountsWithOpenWindows, { now })).map(({ account_id }) => account_id)
