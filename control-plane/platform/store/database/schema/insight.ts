/** What results mean: error groups, analyses; what control planes over one store tell each other's exporters, kept for minutes. */
import { clusteredTable, index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const insight: readonly string[] = [
  table(
    'error_groups',
    {
      id: text,
      account_id: text,
      check_id: text,
      of_tests: integer,
      project: nullable(text),
      error_hash: text,
      raw_error_message: nullable(text),
      cleaned_error_message: text,
      first_seen_at: integer,
      last_seen_at: integer,
      events: integer,
      archived_until_next_event: integer,
      archived_for_ever: integer,
      archived_at: nullable(integer),
    },
    primaryKey('id'),
  ),
  index('error_groups_check', 'error_groups (check_id, last_seen_at desc, id)'),
  index('error_groups_account', 'error_groups (account_id, last_seen_at desc, id)'),
  table(
    'root_cause_analyses',
    {
      id: text,
      account_id: text,
      check_id: text,
      error_group_id: text,
      check_type: text,
      status: text,
      user_context: text,
      claimed_until: integer,
      claims: integer,
      created_at: integer,
      completed_at: nullable(integer),
      doc: text,
    },
    primaryKey('id'),
  ),
  index('root_cause_analyses_group', 'root_cause_analyses (error_group_id, created_at, id)'),
  index('root_cause_analyses_check', 'root_cause_analyses (check_id)'),
  index('root_cause_analyses_pending', 'root_cause_analyses (claimed_until, created_at)', {
    where: 'completed_at is null',
  }),
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
