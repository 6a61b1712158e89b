/** What incidents, reminders, certificate alerts and notices about locations remember, so that each happens once. */
import { clusteredTable, index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const incidentAutomation: string[] = [
  clusteredTable(
    'automatic_incidents',
    { check_id: text, service_id: text, account_id: text, incident_id: text, notify_subscribers: integer },
    primaryKey('check_id', 'service_id'),
  ),
  clusteredTable(
    'certificate_alerts',
    { check_id: text, domain: text, alerted_at: integer },
    primaryKey('check_id', 'domain'),
  ),
  table(
    'certificate_looks',
    {
      check_id: text,
      account_id: text,
      domain: text,
      look_at: integer,
      looked_at: nullable(integer),
      expires_at: nullable(integer),
      error: nullable(text),
    },
    primaryKey('check_id'),
  ),
  index('certificate_looks_due', 'certificate_looks (look_at)'),
  clusteredTable(
    'location_absences',
    { location_id: text, account_id: text, since: integer, noticed_at: nullable(integer) },
    primaryKey('location_id'),
  ),
  clusteredTable(
    'maintenance_notices',
    { window_id: integer, date: text, notice: text, noticed_at: integer },
    primaryKey('window_id', 'date', 'notice'),
  ),
]
