/** The names that a verdict has where the control plane has words of its own for it. Pure. */
import type { VerdictFlags as Flags, Verdict } from '../../../protocol/verdict.ts'

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
