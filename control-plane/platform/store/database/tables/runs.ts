/** Accounts, keys, checks and the path of a run. Conventions: store/database/tables.ts. */

export type AccountsTable = {
  id: string
  name: string
  created_at: number
  updated_at: number | null
  doc: string
  /** 1: keys that may write read secrets whole, as its settings say; asked for with every key. */
  shows_secrets: number | null
}

type ApiKeysTable = {
  id: string
  account_id: string
  user_id: string | null
  kind: string
  role: string
  name: string
  hash: string
  masked: string
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
}

export type ChecksTable = {
  id: string
  account_id: string
  type: string
  name: string
  activated: boolean
  group_id: number | null
  created_at: number
  updated_at: number | null
  version: number
  doc: string
}

/** When a check runs next. `period_ms` and `phase_ms` define its slots: every t with (t - phase) mod period = 0. */
export type SchedulesTable = {
  check_id: string
  account_id: string
  check_type: string
  queue: string
  runtime_id: string | null
  period_ms: number
  phase_ms: number
  next_at: number
  turn: number
  parallel: boolean
  /** JSON array of { id, name }. */
  locations: string
  /** The first slot by this plan. */
  from_at: number
  /** What the fences of its jobs follow: greater with every plan, because jobs of a due time that is planned again have the same ids. */
  fence: number
}

/** Where a scheduled check runs: `schedules.locations`, found by its ids. */
type ScheduleLocationsTable = { location_id: string; check_id: string }

/** One attempt of one run in one location that is not finished. Unclaimed while `agent_id` is null. */
export type JobsTable = {
  id: string
  account_id: string
  check_id: string
  check_type: string
  queue: string
  runtime_id: string | null
  location: string
  run_location: string
  /** The location whose due time it is: a retry may run elsewhere, and its run still executes here. */
  home: string
  run_source: string
  /** Who asked: '' for the schedule. Jobs of one check, location and session run one after another. */
  session_id: string
  check_run_id: number
  sequence_id: string
  attempt: number
  due_at: number
  run_at: number
  /** Not claimed by then: a missed run. */
  expires_at: number
  period_ms: number
  /** The hard limit of the attempt. */
  deadline_ms: number
  fence: number
  agent_id: string | null
  claimed_at: number | null
  lease_expires_at: number | null
  /**
   * What its agent said last: the run is `running` (or about to), or `finished` and its report is on the way. Null: nobody has
   * it, or the control plane was away since.
   */
  run_state: 'running' | 'finished' | null
  /** Of the first attempt; null for that one itself. */
  first_started_at: number | null
  created_at: number
}

/** A check that is gone, and some of whose results are still there. */
type RemovedChecksTable = { check_id: string; removed_at: number }

/** `count` due times of one check in one location, `period_ms` apart, that could not be run. */
export type MissedRunsTable = {
  id: string
  account_id: string
  check_id: string
  location: string
  reason: string
  detail: string
  first_due_at: number
  last_due_at: number
  period_ms: number
  count: number
  created_at: number
  /** Of a job that an agent had: a document (runs/missed-job.ts). */
  job: string | null
}

/** Due times that nobody is known to have run, and that an agent with standing orders may have: they are missed when all have said what they have. */
export type AwaitedRunsTable = MissedRunsTable & { location_id: string }

/** A check whose results since `since` (when they were stored) are judged when its awaited runs are settled. */
export type DeferredJudgementsTable = {
  check_id: string
  account_id: string
  since: number
  /** The earliest of the due times that were awaited. */
  first_due_at: number
  /** What its agents have told people meanwhile, last. */
  told: string | null
  told_at: number | null
}

/** Agents that have standing orders, and until when these last. */
type OrderHoldersTable = {
  location_id: string
  agent_id: string
  revision: string
  told_at: number
  holds_until: number
}

/** What agents with standing orders have said while runs are awaited: when last, and how many reports they still have. */
export type LateAgentsTable = { location_id: string; agent_id: string; contact_at: number; reports: number }

/** A check was not well for a while of which nobody was told: it was over before its results arrived. */
export type PastOutagesTable = {
  id: string
  account_id: string
  check_id: string
  name: string
  level: string
  from_at: number
  to_at: number
}

export type PrivateLocationsTable = {
  id: string
  account_id: string
  slug: string
  name: string
  created_at: number
  updated_at: number | null
  doc: string
}

/** `location_id` is a private location's id, or the code of a public location (then `account_id` is null). */
export type LocationKeysTable = {
  id: string
  location_id: string
  account_id: string | null
  hash: string
  masked: string
  created_at: number
  updated_at: number | null
}

export type AgentsTable = {
  location_id: string
  agent_id: string
  version: string
  platform: string
  check_types: string
  runtime_ids: string
  /** JSON: names of the layers that isolate code of users; null: it has not said. */
  isolation: string | null
  first_seen_at: number
  last_seen_at: number
}

/** `at`: by the agent's clock; `created_at`: when it came in. */
export type AgentErrorEventsTable = {
  id: string
  location_id: string
  agent_id: string
  at: number
  doc: string
  created_at: number
}

/** One row (id 1): when a control plane last said it was alive. What lies between two lives was downtime. */
type LivenessTable = { id: number; alive_at: number }

/** One row (id 1): services/secrets/key-canary.ts */
type KeyCanariesTable = { id: number; sealed: string }

/** A time between two signs of life that was too long; null: who had to suffer from it has not been forgiven yet. */
export type OutagesTable = { since: number; ended_at: number; forgiven_at: number | null }

/** Small integers for resources whose ids the API shows as numbers. */
type CountersTable = { name: string; value: number }

export type RunTables = {
  accounts: AccountsTable
  api_keys: ApiKeysTable
  checks: ChecksTable
  schedules: SchedulesTable
  schedule_locations: ScheduleLocationsTable
  jobs: JobsTable
  removed_checks: RemovedChecksTable
  missed_runs: MissedRunsTable
  awaited_runs: AwaitedRunsTable
  deferred_judgements: DeferredJudgementsTable
  late_agents: LateAgentsTable
  order_holders: OrderHoldersTable
  past_outages: PastOutagesTable
  private_locations: PrivateLocationsTable
  location_keys: LocationKeysTable
  agents: AgentsTable
  agent_error_events: AgentErrorEventsTable
  key_canaries: KeyCanariesTable
  liveness: LivenessTable
  outages: OutagesTable
  counters: CountersTable
}
