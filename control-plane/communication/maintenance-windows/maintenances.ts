/** Reading and changing single occurrences of a window. Every change holds the window's lock. */
import { noteAccountChange } from '../../access/changes/note-change.ts'
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type {
  MaintenanceUpdatesTable,
  MaintenanceWindowsTable,
} from '../../platform/store/database/tables/maintenance-windows.ts'
import { ApiError, invalid, notFound, violation } from '../../platform/words/errors.ts'
import { isDateOnly, readInstant } from '../../platform/words/shapes/instants.ts'
import { announce } from '../status-page-subscriptions/announce.ts'
import { type Translations, translationsDoc } from '../stored-pages/translations.ts'
import { lifetimeOf } from './active-windows.ts'
import {
  changeUpdate,
  deleteException,
  deleteUpdate,
  deleteUpdatesOfDate,
  findUpdate,
  insertUpdate,
  saveException,
} from './occurrence-queries.ts'
import { lastStartedBy, type Occurrence, occurrenceAt, occurrenceOn, startOfDate } from './occurrences.ts'
import { findWindow, keepWindowOpen, lockWindow } from './queries.ts'
import type { Maintenance, MaintenanceChanges } from './schema.ts'
import { dateOfMaintenance, serializeMaintenances } from './serialize-window.ts'
import { planOf, touchedOf, untouched } from './window-plans.ts'

export type OneMaintenance = { windowId: number; accountId: string; maintenanceId: string }
type MaintenanceOccurrence = { window: MaintenanceWindowsTable; occurrence: Occurrence }

/** A repetition without end is listed this far ahead. */
const horizonMs = 366 * 24 * 3_600_000
const maxUpdates = 100

/** A page of occurrences, oldest first, without the removed ones. @throws ApiError 404 */
export const listMaintenances = async (
  app: App,
  { id, accountId, offset, limit }: { id: number; accountId: string; offset: number; limit: number },
): Promise<{ items: Maintenance[]; total: number }> => {
  const now = app.clock.now()
  const window = await app.db.get(findWindow, { id, accountId })
  if (!window) throw notFound()
  const { exceptions } = await touchedOf(app.db, id, { fromDate: '', toDate: '' })
  const plan = planOf(window, { exceptions, updates: [] })
  const upTo = Math.max(0, lastStartedBy(plan, now + horizonMs))
  const removed = exceptions
    .filter(({ deleted }) => deleted)
    .map(({ date }) => occurrenceOn(plan, date)?.index ?? Number.POSITIVE_INFINITY)
    .filter((index) => index <= upTo)
    .sort((a, b) => a - b)
  const total = upTo + 1 - removed.length
  const occurrences: Occurrence[] = []
  for (let position = offset; position < Math.min(total, offset + limit); position++) {
    const occurrence = occurrenceAt(plan, indexOfPosition(position, removed))
    if (occurrence) occurrences.push(occurrence)
  }
  const dates = { fromDate: occurrences[0]?.date ?? '', toDate: occurrences.at(-1)?.date ?? '' }
  const touched = await touchedOf(app.db, id, dates)
  return { items: serializeMaintenances(window, occurrences, { touched, now }), total }
}

/** @throws ApiError 404 */
export const readMaintenance = async (app: App, one: OneMaintenance): Promise<Maintenance> =>
  present(app.db, await find(app.db, one, findWindow), app.clock.now())

/** Moves one occurrence. @throws ApiError 400, 404 */
export const moveMaintenance = (
  app: App,
  one: OneMaintenance,
  changes: MaintenanceChanges,
): Promise<Maintenance> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const { window, occurrence } = await find(trx, one, lockWindow)
    const plan = planOf(window, await touchedOf(trx, window.id))
    const life = lifetimeOf(plan, occurrence)
    const read = (path: 'startsAt' | 'endsAt'): number => {
      const text = changes[path]
      if (text === undefined) return life[path]
      const instant = readInstant(text)
      if (instant === null) throw invalid([violation(path, 'instant', 'is not a moment from 1970 to 2999')])
      return isDateOnly(text) ? startOfDate(text, plan.timezone) : instant
    }
    const startsAt = read('startsAt')
    const endsAt = read('endsAt')
    if (endsAt < startsAt) throw invalid([violation('endsAt', 'order', 'must not be before "startsAt"')])
    const { date } = occurrence
    await trx.run(saveException, {
      windowId: window.id,
      accountId: one.accountId,
      date,
      startsAt,
      endsAt,
      deleted: false,
      now,
    })
    await trx.run(keepWindowOpen, { id: window.id })
    await noteAccountChange(trx, { accountId: one.accountId, now })
    return present(trx, { window, occurrence }, now)
  })
}

/** Takes one occurrence out of the repetition, with its updates. @throws ApiError 404 */
export const removeMaintenance = (app: App, one: OneMaintenance): Promise<void> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const { window, occurrence } = await find(trx, one, lockWindow)
    const key = { windowId: window.id, date: occurrence.date }
    await trx.run(deleteException, key)
    await trx.run(deleteUpdatesOfDate, key)
    const removed = { startsAt: null, endsAt: null, deleted: true, now }
    await trx.run(saveException, { ...key, accountId: one.accountId, ...removed })
    await trx.run(keepWindowOpen, { id: window.id })
    await noteAccountChange(trx, { accountId: one.accountId, now })
  })
}

type UpdateText = {
  status: string
  description: string
  translations?: Translations
  notifySubscribers?: boolean
}

/** @throws ApiError 404, 409 */
export const postUpdate = (
  app: App,
  one: OneMaintenance,
  text: UpdateText,
): Promise<MaintenanceUpdatesTable> => {
  const now = app.clock.now()
  const id = app.newId()
  return app.db.transaction(async (trx) => {
    const { window, occurrence } = await find(trx, one, lockWindow)
    const { date } = occurrence
    const { updates } = await touchedOf(trx, window.id, { fromDate: date, toDate: date })
    if (updates.length >= maxUpdates)
      throw new ApiError(409, `A maintenance has at most ${maxUpdates} updates`)
    const row: MaintenanceUpdatesTable = {
      id,
      account_id: one.accountId,
      window_id: window.id,
      date,
      status: text.status,
      description: text.description,
      translations: translationsDoc.write(text.translations ?? {}),
      notify_subscribers: text.notifySubscribers ?? false,
      created_at: now,
      updated_at: null,
    }
    await trx.run(insertUpdate, row)
    await trx.run(keepWindowOpen, { id: window.id })
    await noteAccountChange(trx, { accountId: one.accountId, now })
    const subject = `${window.id}/${date}`
    if (text.notifySubscribers)
      await announce(trx, { kind: 'MAINTENANCE', subject, accountId: one.accountId, now })
    return row
  })
}

/** The time from which the update's status holds stays the one of its posting. @throws ApiError 404 */
export const editUpdate = (
  app: App,
  one: OneMaintenance & { updateId: string },
  { translations, ...text }: { description: string; translations?: Translations; status?: string },
): Promise<MaintenanceUpdatesTable> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const { window, occurrence } = await find(trx, one, lockWindow)
    const key = { windowId: window.id, date: occurrence.date, id: one.updateId }
    const before = await trx.get(findUpdate, key)
    if (!before) throw notFound()
    const said = translations === undefined ? before.translations : translationsDoc.write(translations)
    const row = { ...before, ...text, translations: said, updated_at: now }
    await trx.run(changeUpdate, row)
    await noteAccountChange(trx, { accountId: one.accountId, now })
    return row
  })
}

/** @throws ApiError 404 */
export const removeUpdate = (app: App, one: OneMaintenance & { updateId: string }): Promise<void> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const { window, occurrence } = await find(trx, one, lockWindow)
    const key = { windowId: window.id, date: occurrence.date, id: one.updateId }
    if ((await trx.run(deleteUpdate, key)) === 0) throw notFound()
    await noteAccountChange(trx, { accountId: one.accountId, now })
  })
}

const find = async (
  db: Db,
  { windowId, accountId, maintenanceId }: OneMaintenance,
  by: typeof findWindow,
): Promise<MaintenanceOccurrence> => {
  const window = await db.get(by, { id: windowId, accountId })
  const date = dateOfMaintenance(maintenanceId, windowId)
  if (!window || date === null) throw notFound()
  const { exceptions } = await touchedOf(db, windowId, { fromDate: date, toDate: date })
  const occurrence = occurrenceOn(planOf(window, untouched), date)
  if (!occurrence || exceptions.some((row) => row.date === date && row.deleted)) throw notFound()
  return { window, occurrence }
}

const present = async (
  db: Db,
  { window, occurrence }: MaintenanceOccurrence,
  now: number,
): Promise<Maintenance> => {
  const touched = await touchedOf(db, window.id, { fromDate: occurrence.date, toDate: occurrence.date })
  const [maintenance] = serializeMaintenances(window, [occurrence], { touched, now })
  if (!maintenance) throw notFound()
  return maintenance
}

/** The index of the occurrence at a place of the list; `removed` holds indexes in order. */
const indexOfPosition = (position: number, removed: readonly number[]): number => {
  let index = position
  for (const hole of removed) if (hole <= index) index += 1
  return index
}
