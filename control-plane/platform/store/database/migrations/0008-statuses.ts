/** The latest verdict per check, kept by the intake of results. */
import { clusteredTable, index, integer, nullable, primaryKey, real, text } from '../ddl.ts'

export const statuses: string[] = [
  clusteredTable(
    'check_statuses',
    {
      check_id: text,
      account_id: text,
      state: text,
      has_failures: integer,
      has_errors: integer,
      is_degraded: integer,
      longest_run: nullable(real),
      shortest_run: nullable(real),
      last_run_location: nullable(text),
      last_check_run_id: nullable(integer),
      last_started_at: integer,
      ssl_days_remaining: nullable(integer),
      created_at: integer,
      updated_at: nullable(integer),
    },
    primaryKey('check_id'),
  ),
  index('check_statuses_account', 'check_statuses (account_id, state)'),
]
