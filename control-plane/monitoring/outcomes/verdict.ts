/** The verdict on a run, and its names in every place that has its own words for it. Pure. */

/**
 * The verdict on one attempt, in the contract's words. `hasErrors` is our own failure, never the target's; a cancelled
 * run is neither passing nor failing. Failing wins over degraded.
 */
export type Verdict = {
  hasFailures: boolean
  hasErrors: boolean
  isDegraded: boolean
  isCancelled: boolean
  overMaxResponseTime: boolean
  /** Milliseconds, rounded to a microsecond. */
  responseTime: number
}

type Flags = Pick<Verdict, 'hasFailures' | 'hasErrors' | 'isDegraded' | 'isCancelled'>

/** What alerting counts. `none`: no verdict on the target (missed, cancelled, could not run). */
export const alertLevelOf = (verdict: Flags): 'failing' | 'degraded' | 'passing' | 'none' => {
  if (verdict.isCancelled || verdict.hasErrors) return 'none'
  if (verdict.hasFailures) return 'failing'
  return verdict.isDegraded ? 'degraded' : 'passing'
}

/**
 * What a check's status says of its latest run; a cancelled run says nothing and is not asked. A run that could not be made
 * saw nothing of the target.
 */
export const checkStateOf = (verdict: Flags): 'failing' | 'degraded' | 'passing' | 'unknown' => {
  if (verdict.hasErrors) return 'unknown'
  if (verdict.hasFailures) return 'failing'
  return verdict.isDegraded ? 'degraded' : 'passing'
}

/** What a session says of one of its runs that has ended. */
export const sessionRunStateOf = (
  verdict: Flags,
): 'cancelled' | 'errored' | 'failed' | 'degraded' | 'passed' => {
  if (verdict.isCancelled) return 'cancelled'
  if (verdict.hasErrors) return 'errored'
  if (verdict.hasFailures) return 'failed'
  return verdict.isDegraded ? 'degraded' : 'passed'
}

type FlagColumns = {
  has_failures: boolean
  has_errors: boolean
  is_degraded: boolean
  is_cancelled: boolean
}

/** The flags of a stored result. */
export const flagsOfRow = (row: FlagColumns): Flags => ({
  hasFailures: row.has_failures,
  hasErrors: row.has_errors,
  isDegraded: row.is_degraded,
  isCancelled: row.is_cancelled,
})

/** The whole verdict of a stored result. */
export const verdictOfRow = (row: FlagColumns & { over_max: boolean; response_time: number }): Verdict => ({
  ...flagsOfRow(row),
  overMaxResponseTime: row.over_max,
  responseTime: row.response_time,
})
