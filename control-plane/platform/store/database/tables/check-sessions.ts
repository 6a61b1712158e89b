/** Runs on demand. Conventions: store/database/tables.ts. */

/** One check, run once in each of its locations because somebody asked for it. */
export type CheckSessionsTable = {
  id: string
  account_id: string
  check_id: string
  check_type: string
  name: string
  status: string
  run_source: string
  /** Sessions of one request; within it, a group runs `concurrency` of them at once, by `position`. */
  trigger_id: string
  group_id: number | null
  position: number
  /** JSON array of { id, name }. */
  locations: string
  runtime_id: string | null
  refresh_cache: boolean
  /** It runs a copy of the check (`tested_checks`, with the session's id), for the test session that `trigger_id` names. */
  is_test: boolean
  /** Sealed: what its runs are given beside the variables of check, group and account. Null: nothing. */
  variables: string | null
  created_at: number
  started_at: number
  stopped_at: number | null
}

/** One location of a session; `id` is the id of its first attempt, `sequence_id` that of all its attempts. */
export type CheckSessionRunsTable = {
  id: string
  session_id: string
  account_id: string
  run_location: string
  sequence_id: string
  /** `running`, then `passed`, `degraded`, `failed`, `errored`, `cancelled` or `missed`. */
  state: string
}

/** Checks that were run to look at what comes of it: nobody is alerted, and no statistics count them. */
export type TestSessionsTable = {
  id: string
  account_id: string
  name: string
  provider: string
  /** `RUNNING`, then `PASSED`, `FAILED` or `CANCELLED`. */
  status: string
  branch: string | null
  author: string | null
  /** As a client named it. */
  project: string | null
  /** `staging`, as whoever started it named it. */
  environment: string | null
  doc: string
  created_at: number
  stopped_at: number | null
}

/** A check as it is run by one session of a test: its results belong to this copy, and to nothing that looks at the check. */
export type TestedChecksTable = {
  /** The session's, too. */
  id: string
  account_id: string
  test_session_id: string
  /** Of the check that was copied; of one that nobody saved an id that follows from its name in its project. */
  check_id: string
  type: string
  name: string
  group_id: number | null
  /** Of what it failed with. */
  error_group_id: string | null
  /** As `checks.doc`, sealed for the copy. */
  doc: string
}

export type CheckSessionTables = {
  test_sessions: TestSessionsTable
  tested_checks: TestedChecksTable
  check_sessions: CheckSessionsTable
  check_session_runs: CheckSessionRunsTable
}
