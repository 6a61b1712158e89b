/**
 * Lists and analytics walk over the results of one check in its index alone: their rows lie scattered among those of all
 * other checks. Failures are few: an index of their own finds them without a walk. `removed_checks`: checks that are gone and
 * whose results go little by little.
 */
import { clusteredTable, index, integer, primaryKey, text } from '../ddl.ts'

const judged =
  'result_type, has_failures, has_errors, is_cancelled, check_run_id, location, response_time, attempts'

export const indexesOfLists: string[] = [
  'drop index results_check',
  index('results_check', `results (check_id, started_at, id, ${judged})`),
  index('results_failing', 'results (check_id, started_at, id, result_type, has_failures, has_errors)', {
    where: 'has_failures = 1 or has_errors = 1',
  }),
  'drop index error_groups_check',
  'drop index error_groups_account',
  index('error_groups_check', 'error_groups (check_id, last_seen_at desc, id)'),
  index('error_groups_account', 'error_groups (account_id, last_seen_at desc, id)'),
  index('alert_notifications_check', 'alert_notifications (check_id, check_alert_id)'),
  clusteredTable('removed_checks', { check_id: text, removed_at: integer }, primaryKey('check_id')),
]
