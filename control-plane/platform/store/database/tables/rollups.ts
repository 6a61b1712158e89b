/** Counts and sketches of results by hour and day. Conventions: store/database/tables.ts. */

/** A check under the number that its rollups have, which are many. */
type RollupChecksTable = { check_id: string; number: number }

/** Of one number that the check's runs measured, in `hours` hours (1 or 24) from `start_at`. */
type ResultRollupsTable = {
  check_number: number
  hours: number
  series: string
  start_at: number
  cells: Buffer
}

/** One row (id 1): hours that began before this are closed. What comes in for them later is late. */
type RollupHorizonTable = { id: number; closed_until: number }

/**
 * One row (id 1). Hours and days before `…_until` are counted; of the next one, the checks up to the id `…_after` are.
 * `hours_until` is 0 until counting has begun; `version` grows with each step.
 */
export type RollupProgressTable = {
  id: number
  version: number
  hours_until: number
  hours_after: string
  days_until: number
  days_after: string
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
