/** What an attempt means, and what alerting counts of it: both programs judge by it. Pure. */

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

export type VerdictFlags = Pick<Verdict, 'hasFailures' | 'hasErrors' | 'isDegraded' | 'isCancelled'>

/** What alerting counts. `none`: no verdict on the target (missed, cancelled, could not run). */
export const alertLevelOf = (verdict: VerdictFlags): 'failing' | 'degraded' | 'passing' | 'none' => {
  if (verdict.isCancelled || verdict.hasErrors) return 'none'
  if (verdict.hasFailures) return 'failing'
  return verdict.isDegraded ? 'degraded' : 'passing'
}
