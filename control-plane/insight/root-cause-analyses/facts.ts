/**
 * What an analyst is given about an error group: the latest run that failed with it, the recent history of its check and
 * how its neighbours do. Plain data, so that rules are pure and a model reads the same facts.
 */

import type { AssertionOutcome } from '../../../protocol/assertion.ts'
import type { CheckType } from '../../../protocol/check-type.ts'
import type { Failure } from '../../../protocol/result.ts'
import type { HttpFacts } from '../../monitoring/definitions/checks/types/http-facts.ts'

export type FailedRunFacts = {
  startedAt: number
  location: string
  responseTime: number
  hasErrors: boolean
  overMax: boolean
  failure: Failure | null
  /** Why it could not run at all; our own failure. */
  couldNotRun: string | null
  assertions: AssertionOutcome[]
  metrics: Record<string, number>
  /** What the run saw of HTTP; null when no answer arrived or the check speaks another protocol. */
  http: HttpFacts | null
  /** The last lines of the run's log. */
  log: string[]
}

export type LocationFacts = { location: string; runs: number; failed: number; failsNow: boolean }

export type HistoryFacts = {
  /** FINAL runs looked at, and how many of them failed. */
  runs: number
  failed: number
  /** Start of the first run of the unbroken row of failures that the latest failure belongs to. */
  failingSince: number
  failuresInRow: number
  lastPassedAt: number | null
  /** The first run that passed after the failure. */
  passesAgainSince: number | null
  locations: LocationFacts[]
  /** Medians in ms of the passing runs right before the failures, and of those before them. */
  latency: { justBeforeMs: number; usualMs: number } | null
}

export type NeighbourFacts = { name: string; host: string | null; fails: boolean }

export type Facts = {
  now: number
  userContext: string
  check: {
    name: string
    type: CheckType
    host: string | null
    maxResponseTime: number | null
    updatedAt: number | null
  }
  group: { message: string; firstSeenAt: number; lastSeenAt: number; events: number }
  run: FailedRunFacts
  history: HistoryFacts
  neighbours: NeighbourFacts[]
}

export const codeOf = ({ run }: Facts): string => run.failure?.code ?? ''

/** The failure's own sentence without a full stop, or the group's message. */
export const messageOf = ({ run, group }: Facts): string =>
  (run.failure?.message ?? run.couldNotRun ?? group.message).replace(/\.$/, '')

export const failedAssertion = ({ run }: Facts): AssertionOutcome | undefined =>
  run.assertions.find(({ passed }) => !passed)

/** The status that made the run fail: judged by the default rule or by an assertion. */
export const failingStatus = (facts: Facts): number | null => {
  const { http } = facts.run
  if (http === null) return null
  return codeOf(facts) === 'HTTP_STATUS' || failedAssertion(facts)?.source === 'STATUS_CODE'
    ? http.status
    : null
}

export const hostOf = ({ check, run }: Facts): string =>
  (run.http === null ? null : URL.parse(run.http.url)?.hostname) ?? check.host ?? 'the target'
