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

export type CheckSessionTables = {
  check_sessions: CheckSessionsTable
  check_session_runs: CheckSessionRunsTable
}
