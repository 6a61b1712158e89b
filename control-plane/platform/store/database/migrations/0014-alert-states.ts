/** Alert states, and what retries need of jobs: whose slot they are for and when their first attempt started. */
import { index, integer, nullable, primaryKey, table, text } from '../ddl.ts'

export const alertStates: string[] = [
  table(
    'alert_states',
    {
      check_id: text,
      account_id: text,
      level: text,
      wake_at: nullable(integer),
      updated_at: integer,
      doc: text,
    },
    primaryKey('check_id'),
  ),
  index('alert_states_wake', 'alert_states (wake_at)', { where: 'wake_at is not null' }),
  "alter table jobs add column home text not null default ''",
  'alter table jobs add column first_started_at bigint',
  'update jobs set home = location',
  'drop index jobs_check',
  index('jobs_check', 'jobs (check_id, home, due_at)'),
]
