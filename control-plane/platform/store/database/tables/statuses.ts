/** The latest verdict per check. Conventions: store/database/tables.ts. */

export type CheckStatusesTable = {
  check_id: string
  account_id: string
  /** `passing`, `degraded`, `failing`, `unknown` or `stale`. */
  state: string
  has_failures: boolean
  has_errors: boolean
  is_degraded: boolean
  longest_run: number | null
  shortest_run: number | null
  last_run_location: string | null
  last_check_run_id: number | null
  /** Of the run that the status is from, or the due time that nobody could run: what comes late does not turn it back. */
  last_started_at: number
  ssl_days_remaining: number | null
  /** The last run before results stayed away for too long (monitoring/watches/staleness); null: they come. */
  stale_since: number | null
  created_at: number
  updated_at: number | null
}

export type StatusesTables = { check_statuses: CheckStatusesTable }
