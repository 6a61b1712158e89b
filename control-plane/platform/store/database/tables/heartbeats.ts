/** Checks that are pinged. Conventions: store/database/tables.ts. */

export type HeartbeatsTable = {
  check_id: string
  account_id: string
  ping_token: string
  activated: boolean
  period_ms: number
  grace_ms: number
  /** `waiting` for the first ping, `running`, or `failing`. */
  state: string
  last_ping_at: number | null
  /** When the next ping is expected, and when its grace is over; null while nothing is expected. */
  expected_at: number | null
  deadline_at: number | null
}

export type HeartbeatTables = { heartbeats: HeartbeatsTable }
