import { noteAccountChange } from '../../access/changes/note-change.ts'
import type { App } from '../../platform/app/app.ts'
import { nextNumber } from '../../platform/store/database/counters.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { MaintenanceWindowsTable } from '../../platform/store/database/tables/maintenance-windows.ts'
import { requireVersion } from '../../platform/web/http/request/entity-tag.ts'
import { invalid, notFound, violation } from '../../platform/words/errors.ts'
import { servicesOnPages } from '../stored-pages/card-queries.ts'
import { sharePages } from '../stored-pages/queries.ts'
import {
  deleteException,
  deleteExceptionsOfWindow,
  deleteUpdatesOfDate,
  deleteUpdatesOfWindow,
} from './occurrence-queries.ts'
import { occurrenceOn } from './occurrences.ts'
import { deleteWindow, insertWindow, lockWindow, updateWindow } from './queries.ts'
import type { MaintenanceWindowChanges, NewMaintenanceWindow, StatusPageVisibility } from './schema.ts'
import { windowDoc } from './window-doc.ts'
import { overAt, planOf, touchedOf, untouched } from './window-plans.ts'
import { newSettings, type WindowSettings, withChanges } from './window-settings.ts'

/** @throws ApiError 400 */
export const createWindow = (
  app: App,
  accountId: string,
  body: NewMaintenanceWindow,
): Promise<MaintenanceWindowsTable> => {
  const now = app.clock.now()
  const settings = accepted(newSettings, body)
  return app.db.transaction(async (trx) => {
    await requireLinks(trx, accountId, settings.statusPageVisibility)
    const columns = columnsOf(settings)
    const row: MaintenanceWindowsTable = {
      id: await nextNumber(trx, 'maintenance-window'),
      account_id: accountId,
      ...columns,
      over_at: overAt(planOf(columns, untouched)),
      created_at: now,
      updated_at: null,
      version: 1,
    }
    await trx.run(insertWindow, row)
    await noteAccountChange(trx, { accountId, now })
    return row
  })
}

type Change = {
  id: number
  accountId: string
  changes: MaintenanceWindowChanges
  ifMatch: string | undefined
}

/** Only what is sent changes. @throws ApiError 400, 404, 412 */
export const changeWindow = (
  app: App,
  { id, accountId, changes, ifMatch }: Change,
): Promise<MaintenanceWindowsTable> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const before = await trx.get(lockWindow, { id, accountId })
    if (!before) throw notFound()
    requireVersion(ifMatch, before.version)
    const settings = accepted(settingsOf(before), changes)
    if (changes.statusPageVisibility) await requireLinks(trx, accountId, settings.statusPageVisibility)
    const columns = columnsOf(settings)
    await forgetVanished(trx, { id, ...columns })
    const row: MaintenanceWindowsTable = {
      ...before,
      ...columns,
      over_at: overAt(planOf(columns, await touchedOf(trx, id))),
      updated_at: now,
      version: before.version + 1,
    }
    await trx.run(updateWindow, row)
    await noteAccountChange(trx, { accountId, now })
    return row
  })
}

/** With all that is known of its occurrences. @throws ApiError 404 */
export const removeWindow = (app: App, id: number, accountId: string): Promise<void> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    if ((await trx.run(deleteWindow, { id, accountId })) === 0) throw notFound()
    await trx.run(deleteExceptionsOfWindow, { windowId: id })
    await trx.run(deleteUpdatesOfWindow, { windowId: id })
    await noteAccountChange(trx, { accountId, now })
  })
}

const accepted = (before: WindowSettings, changes: MaintenanceWindowChanges): WindowSettings => {
  const { settings, violations } = withChanges(before, changes)
  if (violations.length > 0) throw invalid(violations)
  return settings
}

const columnsOf = ({ name, startsAt, endsAt, ...doc }: WindowSettings) => ({
  name,
  starts_at: startsAt,
  ends_at: endsAt,
  doc: windowDoc.write(doc),
})

const settingsOf = (row: MaintenanceWindowsTable): WindowSettings => ({
  ...windowDoc.read(row.doc),
  name: row.name,
  startsAt: row.starts_at,
  endsAt: row.ends_at,
})

/** Pages and services must be the account's, and stay there until the transaction ends. */
const requireLinks = async (trx: Db, accountId: string, visibility: StatusPageVisibility): Promise<void> => {
  const pageIds = visibility.statusPageIds
  const pages = new Set((await trx.all(sharePages, { accountId, ids: pageIds })).map(({ id }) => id))
  const onPages = await trx.all(servicesOnPages, { accountId, pageIds })
  const services = new Set(onPages.map(({ service_id }) => service_id))
  const violations = [
    ...unknown('statusPageIds', visibility.statusPageIds, pages, 'is not a status page of the account'),
    ...unknown('serviceIds', visibility.serviceIds, services, 'is not a service on a linked status page'),
  ]
  if (violations.length > 0) throw invalid(violations)
}

const unknown = (field: string, ids: string[], known: Set<string>, problem: string) =>
  ids.flatMap((id, index) =>
    known.has(id) ? [] : [violation(`statusPageVisibility.${field}.${index}`, 'exists', problem)],
  )

/** What was done to occurrences that the new repetition no longer has goes with them. */
const forgetVanished = async (
  trx: Db,
  window: Pick<MaintenanceWindowsTable, 'id' | 'starts_at' | 'ends_at' | 'doc'>,
): Promise<void> => {
  const plan = planOf(window, await touchedOf(trx, window.id))
  for (const date of plan.exceptions.keys())
    if (!occurrenceOn(plan, date)) {
      await trx.run(deleteException, { windowId: window.id, date })
      await trx.run(deleteUpdatesOfDate, { windowId: window.id, date })
    }
}
