/** Maintenance windows and what was done to single occurrences. Conventions: store/database/tables.ts. */

export type MaintenanceWindowsTable = {
  id: number
  account_id: string
  name: string
  starts_at: number
  /** The end of the first occurrence. */
  ends_at: number
  /** When the window can no longer act on anything; null where that is open. */
  over_at: number | null
  created_at: number
  updated_at: number | null
  version: number
  doc: string
}

/** An occurrence that was moved or removed; `date` (`YYYY-MM-DD`) names it within its window. */
export type MaintenanceExceptionsTable = {
  window_id: number
  date: string
  account_id: string
  starts_at: number | null
  ends_at: number | null
  deleted: boolean
  updated_at: number
}

export type MaintenanceUpdatesTable = {
  id: string
  account_id: string
  window_id: number
  date: string
  status: string
  description: string
  translations: string
  notify_subscribers: boolean
  created_at: number
  updated_at: number | null
}

export type MaintenanceWindowTables = {
  maintenance_windows: MaintenanceWindowsTable
  maintenance_exceptions: MaintenanceExceptionsTable
  maintenance_updates: MaintenanceUpdatesTable
}
