/** Error groups and the analyses made of them. Conventions: store/database/tables.ts. */

/**
 * The id follows from check and hash (error-groups/group-id.ts). `events` counts the results that joined. `archived_at`: when it was archived
 * until the next event.
 */
export type ErrorGroupsTable = {
  id: string
  account_id: string
  check_id: string
  /** Of what failed in tests of the check, apart from its own runs. */
  of_tests: boolean
  /** The project whose test failed first. */
  project: string | null
  error_hash: string
  raw_error_message: string | null
  cleaned_error_message: string
  first_seen_at: number
  last_seen_at: number
  events: number
  archived_until_next_event: boolean
  archived_for_ever: boolean
  archived_at: number | null
}

/**
 * `PENDING` until an analyst is done. `claimed_until` is 0 or the end of the claim of the control plane that works on
 * it, `claims` grows with every claim: only the latest one may complete the row.
 */
export type RootCauseAnalysesTable = {
  id: string
  account_id: string
  check_id: string
  error_group_id: string
  check_type: string
  status: string
  user_context: string
  claimed_until: number
  claims: number
  created_at: number
  completed_at: number | null
  doc: string
}

export type AnalysisTables = {
  error_groups: ErrorGroupsTable
  root_cause_analyses: RootCauseAnalysesTable
}
