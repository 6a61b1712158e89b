import type { Outcome } from './result.ts'
import type { Verdict } from './verdict.ts'

/** How a check wants its observations judged; thresholds in milliseconds, null for none. */
export type Judgement = { degradedResponseTime: number | null; maxResponseTime: number | null }

const neither: Verdict = {
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  isCancelled: false,
  overMaxResponseTime: false,
  responseTime: 0,
}

export const evaluate = (outcome: Outcome, { degradedResponseTime, maxResponseTime }: Judgement): Verdict => {
  if (outcome.kind === 'cancelled') return { ...neither, isCancelled: true }
  if (outcome.kind === 'could-not-run') return { ...neither, hasErrors: true }
  const { failure, assertions, degraded, responseTime } = outcome.observation
  const overMaxResponseTime = maxResponseTime !== null && responseTime > maxResponseTime
  const hasFailures = failure !== null || overMaxResponseTime || assertions.some(({ passed }) => !passed)
  const slow = degradedResponseTime !== null && responseTime > degradedResponseTime
  return {
    hasFailures,
    hasErrors: false,
    isDegraded: !hasFailures && (degraded || slow),
    isCancelled: false,
    overMaxResponseTime,
    responseTime: Math.round(responseTime * 1000) / 1000,
  }
}
