/** Counts and sketches of results by quarter of an hour, hour and day. Conventions: store/database/tables.ts. */

/** A check under the number that its rollups have, which are many. */
type RollupChecksTable = { check_id: string; number: number }

/**
 * Of one number that the check's runs measured, from `start_at`: an hour (`minutes` 60), a day (1440), or an hour by its
 * quarters (15).
 */
type ResultRollupsTable = {
  check_number: number
  minutes: number
  series: string
  start_at: number
  cells: Buffer
}

/**
 * One row (id 1). Hours that began before `closed_until` are closed: what comes in for them later is late. What there is of
 * the time before `raw_since` and `rollups_since`, results and rollups, is not all that there was.
 */
type RollupHorizonTable = { id: number; closed_until: number; raw_since: number; rollups_since: number }

/**
 * One row (id 1). Hours and days before `…_until` are counted; of the next one, the checks up to the id `…_after` are.
 * Of days before `thinned_until` the quarters are gone, and hours are no longer told apart by location and status.
 * `hours_until` is 0 until counting has begun; `version` grows with each step.
 */
export type RollupProgressTable = {
  id: number
  version: number
  hours_until: number
  hours_after: string
  days_until: number
  days_after: string
  thinned_until: number
  thinned_after: string
}

/** A result that came in when its hour was closed, and is still to be counted. */
export type LateResultsTable = { started_at: number; result_id: string; check_id: string }

export type RollupTables = {
  rollup_checks: RollupChecksTable
  result_rollups: ResultRollupsTable
  rollup_horizon: RollupHorizonTable
  rollup_progress: RollupProgressTable
  late_results: LateResultsTable
}
