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

/** Of groups that have a health of their own (alerting/engine/group-verdict.ts). */
export type CheckGroupHealthTable = {
  group_id: number
  account_id: string
  /** `passing`, `failing` or `unknown`; since when. */
  state: string
  since: number
  /** `failing`: people were told so; null: they believe that it is well. */
  told: string | null
  /** Of the checks that counted when it was last looked at. */
  failing: number
  counted: number
  /** When it is to be looked at (again). */
  wake_at: number
}

export type AlertStateTables = {
  alert_states: AlertStatesTable
  check_group_health: CheckGroupHealthTable
}
