/** What control planes over one store tell each other's exporters: which accounts are scraped, and runs of them. Kept for minutes. */
import { clusteredTable, integer, primaryKey, table, text } from '../ddl.ts'

export const exporterRuns: string[] = [
  clusteredTable(
    'exporter_follows',
    { account_id: text, plane_id: text, followed_until: integer },
    primaryKey('account_id', 'plane_id'),
  ),
  table(
    'exporter_runs',
    { id: text, plane_id: text, created_at: integer, doc: text },
    primaryKey('created_at', 'id'),
  ),
]
