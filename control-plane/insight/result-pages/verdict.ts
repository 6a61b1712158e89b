/** What became of a run, in one word and one sentence. Pure. */

import type { CheckResult } from '../../monitoring/results/schema.ts'
import type { Content } from '../../platform/web/html/html.ts'
import type { Tone } from '../../platform/web/html/html-page.ts'
import { say } from '../../platform/web/html/say.ts'
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
export const reasonOf = (facts: Pick<ResultFacts, 'result' | 'check' | 'ping'>): Content => {
  const { result, check, ping } = facts
  if (result.error !== null) return result.error
  if (result.isCancelled) return say('The run was stopped before it was over.')
  if (result.isDegraded) return slowness(result.responseTime, check.degradedResponseTime)
  if (result.hasFailures || result.hasErrors) return say('The run failed without a reason.')
  return ping === null ? say('Everything was as expected.') : say('The ping came.')
}

/** The threshold is the check's of today: it may have been another one then. */
const slowness = (responseTime: number, limit: number | null): Content =>
  limit !== null && responseTime > limit
    ? say('It took {0}; from {1} on it counts as degraded.', milliseconds(responseTime), milliseconds(limit))
    : say('It works, but not as well as it should.')
