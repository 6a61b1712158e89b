/** What became of a run, in one word and one sentence. Pure. */
import type { CheckResult } from '../../monitoring/results/schema.ts'
import type { Tone } from '../../platform/web/html/html-page.ts'
import { milliseconds } from '../../platform/web/html/words.ts'
import type { ResultFacts } from './read-facts.ts'

type Flags = Pick<CheckResult, 'hasFailures' | 'hasErrors' | 'isDegraded' | 'isCancelled'>

type Verdict = { word: string; tone: Tone; sign: string }

export const verdictOf = ({ hasFailures, hasErrors, isDegraded, isCancelled }: Flags): Verdict => {
  if (isCancelled) return { word: 'Cancelled', tone: 'neutral', sign: '–' }
  if (hasErrors) return { word: 'Could not run', tone: 'neutral', sign: '!' }
  if (hasFailures) return { word: 'Failed', tone: 'failing', sign: '✕' }
  if (isDegraded) return { word: 'Degraded', tone: 'degraded', sign: '!' }
  return { word: 'Passed', tone: 'passing', sign: '✓' }
}

/** Why, first what the run itself says. */
export const reasonOf = (facts: Pick<ResultFacts, 'result' | 'check' | 'ping'>): string => {
  const { result, check, ping } = facts
  if (result.error !== null) return result.error
  if (result.isCancelled) return 'The run was stopped before it was over.'
  if (result.isDegraded) return slowness(result.responseTime, check.degradedResponseTime)
  if (result.hasFailures || result.hasErrors) return 'The run failed without a reason.'
  return ping === null ? 'Everything was as expected.' : 'The ping came.'
}

/** The threshold is the check's of today: it may have been another one then. */
const slowness = (responseTime: number, limit: number | null): string =>
  limit !== null && responseTime > limit
    ? `It took ${milliseconds(responseTime)}; from ${milliseconds(limit)} on it counts as degraded.`
    : 'It works, but not as well as it should.'
