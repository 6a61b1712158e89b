/** Error groups and root cause analyses. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

const instant = integer
const bit = integer

export const analysis: string[] = [
  table(
    'error_groups',
    {
      id: text,
      account_id: text,
      check_id: text,
      error_hash: text,
      raw_error_message: nullable(text),
      cleaned_error_message: text,
      first_seen_at: instant,
      last_seen_at: instant,
      events: integer,
      archived_until_next_event: bit,
      archived_for_ever: bit,
    },
    primaryKey('id'),
  ),
  index('error_groups_check', 'error_groups (check_id, last_seen_at, id)'),
  index('error_groups_account', 'error_groups (account_id, last_seen_at, id)'),
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
      claimed_until: instant,
      claims: integer,
      created_at: instant,
      completed_at: nullable(instant),
      doc: text,
    },
    primaryKey('id'),
  ),
  index('root_cause_analyses_group', 'root_cause_analyses (error_group_id, created_at, id)'),
  index('root_cause_analyses_check', 'root_cause_analyses (check_id)'),
  index('root_cause_analyses_pending', 'root_cause_analyses (claimed_until, created_at)', {
    where: 'completed_at is null',
  }),
]
