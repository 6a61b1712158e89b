/** Maintenance windows, moved or removed occurrences, and the updates posted about occurrences. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

const instant = integer
const bit = integer

export const maintenanceWindows: string[] = [
  table(
    'maintenance_windows',
    {
      id: integer,
      account_id: text,
      name: text,
      starts_at: instant,
      ends_at: instant,
      over_at: nullable(instant),
      created_at: instant,
      updated_at: nullable(instant),
      version: integer,
      doc: text,
    },
    primaryKey('id'),
  ),
  index('maintenance_windows_account', 'maintenance_windows (account_id, id)'),
  table(
    'maintenance_exceptions',
    {
      window_id: integer,
      date: text,
      account_id: text,
      starts_at: nullable(instant),
      ends_at: nullable(instant),
      deleted: bit,
      updated_at: instant,
    },
    primaryKey('window_id', 'date'),
  ),
  table(
    'maintenance_updates',
    {
      id: text,
      account_id: text,
      window_id: integer,
      date: text,
      status: text,
      description: text,
      notify_subscribers: bit,
      created_at: instant,
      updated_at: nullable(instant),
    },
    primaryKey('id'),
  ),
  index('maintenance_updates_window', 'maintenance_updates (window_id, date, created_at)'),
]
