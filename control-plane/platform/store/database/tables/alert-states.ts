/** Alert states. Conventions: store/database/tables.ts. */

/** Of checks that are not well, or of which people still believe so. `doc`: alerting/state-store.ts. */
export type AlertStatesTable = {
  check_id: string
  account_id: string
  /** `passing`, `degraded` or `failing`. */
  level: string
  /** When time alone may bring a notice; null: only a run can. */
  wake_at: number | null
  updated_at: number
  doc: string
}

export type AlertStateTables = { alert_states: AlertStatesTable }
