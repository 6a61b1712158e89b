import type { Judgement } from '../../../protocol/evaluate.ts'
import type { Outcome } from '../../../protocol/result.ts'

/**
 * The outcome as it may be judged: a time over a limit of the check that it would keep without the stalls of its agent is not
 * the target's, so that run could not be run. Pure.
 */
export const undisturbedOutcome = (
  outcome: Outcome,
  { degradedResponseTime, maxResponseTime }: Judgement,
): Outcome => {
  if (outcome.kind !== 'observed') return outcome
  const { responseTime, stalledMs = 0, failure, assertions } = outcome.observation
  if (stalledMs === 0 || failure !== null || assertions.some(({ passed }) => !passed)) return outcome
  const min = Math.max(0, responseTime - stalledMs)
  if (isOver(min, maxResponseTime)) return outcome
  const limit = [maxResponseTime, degradedResponseTime].find(
    (one) => isOver(responseTime, one) && !isOver(min, one),
  )
  if (limit === undefined || limit === null) return outcome
  return {
    kind: 'could-not-run',
    reason: `The event loop of the agent stood for ${Math.round(stalledMs)} ms during the run, so that its response time of ${Math.round(responseTime)} ms may be false: the limit of ${limit} ms is not held against the target`,
  }
}

const isOver = (responseTime: number, limit: number | null): boolean => limit !== null && responseTime > limit
