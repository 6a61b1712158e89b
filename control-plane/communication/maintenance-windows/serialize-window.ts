import type {
  MaintenanceExceptionsTable,
  MaintenanceUpdatesTable,
  MaintenanceWindowsTable,
} from '../../platform/store/database/tables/maintenance-windows.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { translationsDoc } from '../stored-pages/translations.ts'
import { lifetimeOf } from './active-windows.ts'
import type { Occurrence } from './occurrences.ts'
import { type MaintenanceStatus, phasesOf, statusAt } from './phases.ts'
import type { Maintenance, MaintenanceUpdate, MaintenanceWindow } from './schema.ts'
import { windowDoc } from './window-doc.ts'
import { type OccurrenceChanges, planOf } from './window-plans.ts'

export const serializeWindow = (row: MaintenanceWindowsTable): MaintenanceWindow => {
  const { repeatEndsAtAsSent, ...doc } = windowDoc.read(row.doc)
  return {
    ...doc,
    repeatEndsAt: doc.repeatEndsAt === null ? null : (repeatEndsAtAsSent ?? doc.repeatEndsAt),
    id: row.id,
    name: row.name,
    startsAt: toIso(row.starts_at),
    endsAt: toIso(row.ends_at),
    created_at: toIso(row.created_at),
    updated_at: toIsoOrNull(row.updated_at),
  }
}

export const serializeUpdate = (row: MaintenanceUpdatesTable): MaintenanceUpdate => ({
  id: row.id,
  maintenanceId: maintenanceId(row.window_id, row.date),
  maintenanceWindowId: row.window_id,
  status: row.status as MaintenanceStatus,
  description: row.description,
  translations: translationsDoc.read(row.translations),
  notifySubscribers: row.notify_subscribers,
  created_at: toIso(row.created_at),
  updated_at: toIsoOrNull(row.updated_at),
})

/** Occurrences of one window as they stand at `now`. */
export const serializeMaintenances = (
  window: MaintenanceWindowsTable,
  occurrences: readonly Occurrence[],
  { touched, now }: { touched: OccurrenceChanges; now: number },
): Maintenance[] => {
  const plan = planOf(window, touched)
  return occurrences.map((occurrence) => {
    const life = lifetimeOf(plan, occurrence)
    const exception = touched.exceptions.find(({ date }) => date === occurrence.date)
    return {
      id: maintenanceId(window.id, occurrence.date),
      maintenanceWindowId: window.id,
      startsAt: toIso(life.startsAt),
      endsAt: toIso(life.endsAt),
      status: statusAt(phasesOf(life), now),
      updates: touched.updates
        .filter(({ date }) => date === occurrence.date)
        .map(serializeUpdate)
        .reverse(),
      created_at: toIso(window.created_at),
      updated_at: lastChange(window, exception),
    }
  })
}

export const maintenanceId = (windowId: number, date: string): string =>
  `${windowId}-${date.replaceAll('-', '')}`

/** The date that a maintenance's id names; null when the id is not one of this window. */
export const dateOfMaintenance = (id: string, windowId: number): string | null => {
  const [window, digits = ''] = id.split('-')
  const date = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`
  return window === String(windowId) && date < '3000' && isRealDate(date) ? date : null
}

const isRealDate = (date: string): boolean => {
  const midnight = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight) && toIso(midnight).startsWith(date)
}

const lastChange = (
  window: MaintenanceWindowsTable,
  exception: MaintenanceExceptionsTable | undefined,
): string | null => toIsoOrNull(exception?.updated_at ?? window.updated_at)
