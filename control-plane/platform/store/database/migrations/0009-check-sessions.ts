/** Runs on demand and how far they are. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const checkSessions: string[] = [
  table(
    'check_sessions',
    {
      id: text,
      account_id: text,
      check_id: text,
      check_type: text,
      name: text,
      status: text,
      run_source: text,
      trigger_id: text,
      group_id: nullable(integer),
      position: integer,
      locations: text,
      runtime_id: nullable(text),
      refresh_cache: integer,
      created_at: integer,
      started_at: integer,
      stopped_at: nullable(integer),
    },
    primaryKey('id'),
  ),
  index('check_sessions_check', 'check_sessions (check_id)'),
  index('check_sessions_trigger', 'check_sessions (trigger_id, group_id, status)'),
  table(
    'check_session_runs',
    { id: text, session_id: text, account_id: text, run_location: text, sequence_id: text, state: text },
    primaryKey('id'),
  ),
  index('check_session_runs_session', 'check_session_runs (session_id)'),
]
