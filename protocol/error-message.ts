import type { Judgement } from './evaluate.ts'
import type { Outcome } from './result.ts'
import type { Verdict } from './verdict.ts'

/**
 * Why a run failed, as one text: the failure's sentence, else the first failed assertion, else the threshold that was
 * passed, else why it could not run. Null for a run that passed, is degraded or was cancelled. Pure.
 */
export const errorMessageOf = (
  outcome: Outcome,
  verdict: Pick<Verdict, 'hasFailures' | 'hasErrors'>,
  { maxResponseTime }: Pick<Judgement, 'maxResponseTime'>,
): string | null => {
  if (outcome.kind === 'cancelled' || !(verdict.hasFailures || verdict.hasErrors)) return null
  if (outcome.kind === 'could-not-run') return outcome.reason
  const { failure, assertions, responseTime } = outcome.observation
  if (failure !== null) return failure.message
  const failed = assertions.find(({ passed }) => !passed)
  if (failed)
    return (
      failed.error ??
      `The assertion on ${failed.source} (${failed.comparison} ${failed.target}) does not hold`
    )
  if (maxResponseTime !== null && responseTime > maxResponseTime)
    return `The response time of ${Math.round(responseTime)} ms is over the limit of ${maxResponseTime} ms`
  return 'The check failed without a reason'
}
