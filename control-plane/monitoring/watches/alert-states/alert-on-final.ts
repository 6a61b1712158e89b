/**
 * All final outcomes of a check come here: a run's last attempt, a missed run, a ping that came or stayed away. From
 * here follow the alert state, alerts with their notifications, and incidents; all in the caller's transaction.
 *
 * Invariant (promise 4): the alert state is a pure function (alerting/advance.ts) of the outcomes that went through here,
 * in this order, the check's settings and the maintenance windows. Checks that are well have no row, and a passing run of
 * one of them writes nothing.
 */

import { alertLevelOf } from '../../../../protocol/verdict.ts'
import type { AlertStateDoc } from '../../../alerting/engine/alert-state-doc.ts'
import type { AlertSubject } from '../../../alerting/engine/alert-subject.ts'
import { isOver, type StateChange, transitionsIn } from '../../../alerting/engine/apply-transitions.ts'
import { type RoundReport, roundVerdict } from '../../../alerting/engine/round-verdict.ts'
import { deleteAlertStates } from '../../../alerting/engine/state-queries.ts'
import type { RunDetails } from '../../../alerting/messages/alert-event.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { answerOf } from '../../definitions/checks/types/index.ts'
import type { FinalResult, MissedDueTime } from '../../outcomes/consequences.ts'
import { deferredChecks } from '../../schedule/awaited-runs.ts'
import { neighboursIn } from '../dependencies/neighbours.ts'
import { type Known, readKnown } from './read-known.ts'

/** `level` `none`: no verdict on the target (missed, cancelled, could not run); such an outcome changes no state. */
export type Final = {
  checkId: string
  accountId: string
  level: RoundReport
  /** The due time, the same in all locations. */
  checkRunId: number
  /** When the run ended. */
  stoppedAt: number
  /** Ids of results and of missed runs; `checkResultId` is null for the latter. */
  id: string
  /** It was counted in its round before, as a location less. */
  replacesMissed?: boolean
  details: RunDetails
}

/** Of a check that is well, a run that is well changes nothing: by far the most runs. */
const concernsAlerts = ({ verdict, isWell }: FinalResult): boolean => {
  const level = alertLevelOf(verdict)
  return !(isWell && (level === 'passing' || level === 'none'))
}

/** Of results that are all stored, one after the other. Returns the names to wake after the commit. */
export const alertOnResults = async (
  trx: Db,
  results: readonly FinalResult[],
  stamp: Stamp,
): Promise<string[]> => {
  if (!results.some(concernsAlerts)) return []
  return alertOnFinals(
    trx,
    results.map((result) => ({ ...finalOf(result), concerns: concernsAlerts(result) })),
    stamp,
  )
}

const finalOf = (result: FinalResult): Final => ({
  checkId: result.checkId,
  accountId: result.accountId,
  level: alertLevelOf(result.verdict),
  checkRunId: result.checkRunId,
  stoppedAt: result.stoppedAt,
  id: result.resultId,
  replacesMissed: result.replacesMissed,
  details: {
    checkResultId: result.resultId,
    errorMessage: result.error,
    responseTime: result.verdict.responseTime,
    apiStatus: answerOf(result.checkType, result.detail).status,
    runLocation: result.location,
    startedAt: result.startedAt,
  },
})

/** No verdict: each counts only as one location less of a parallel run. Of checks that are well, it changes nothing. */
export const alertOnMissedRuns = (
  trx: Db,
  missed: readonly MissedDueTime[],
  stamp: Stamp,
): Promise<string[]> =>
  alertOnFinals(
    trx,
    missed.map((one) => ({ ...finalOfMissed(one, stamp), concerns: true })),
    stamp,
  )

const finalOfMissed = (missed: MissedDueTime, { now }: Pick<Stamp, 'now'>): Final => ({
  checkId: missed.checkId,
  accountId: missed.accountId,
  level: 'none',
  checkRunId: missed.checkRunId,
  stoppedAt: now,
  id: missed.missedRunId,
  details: {
    checkResultId: null,
    errorMessage: null,
    responseTime: null,
    apiStatus: null,
    runLocation: missed.location,
    startedAt: missed.dueAt,
  },
})

/** After the outcome itself was stored. Returns the names to wake after the commit. */
export const alertOnFinal = (trx: Db, final: Final, stamp: Stamp): Promise<string[]> =>
  alertOnFinals(trx, [{ ...final, concerns: true }], stamp)

/** `concerns`: false for one that says no more than when the check was well. */
type Outcome = Final & { concerns: boolean }

/** What is known is read for all of them, each is judged after those before it, and what follows is written for all of them. */
const alertOnFinals = async (trx: Db, given: readonly Outcome[], stamp: Stamp): Promise<string[]> => {
  const outcomes = await withoutDeferred(trx, given)
  const known = await readKnown(trx, outcomes, stamp)
  if (known.states.size === 0) return []
  const unseen = idsByCheck(outcomes)
  const isPending = (checkId: string) => (unseen.get(checkId)?.length ?? 0) > 0
  const subjects = [...known.subjects.values()]
  const transitions = transitionsIn(trx, stamp, neighboursIn(trx, stamp, { subjects, isPending }))
  const taken = new Set<string>()
  for (const outcome of outcomes) {
    const { checkId } = outcome
    const later = unseen.get(checkId)?.slice(1) ?? []
    unseen.set(checkId, later)
    const change = outcome.concerns ? changeBy(outcome, { known, later, now: stamp.now }) : null
    if (change === null) known.noteVerdict(outcome)
    else known.states.set(checkId, await transitions.take(change))
    if (change !== null) taken.add(checkId)
  }
  const unchanged = known.made.filter((checkId) => !taken.has(checkId))
  if (unchanged.length > 0) await trx.run(deleteAlertStates, { checkIds: unchanged })
  return transitions.write()
}

/** After an outage, checks of which runs are awaited are judged when these are in (watches/late-judging). */
const withoutDeferred = async (trx: Db, outcomes: readonly Outcome[]): Promise<readonly Outcome[]> => {
  const checkIds = [...new Set(outcomes.map(({ checkId }) => checkId))]
  const deferred = new Set((await trx.all(deferredChecks, { checkIds })).map(({ check_id }) => check_id))
  return deferred.size === 0 ? outcomes : outcomes.filter(({ checkId }) => !deferred.has(checkId))
}

const isQuiet = ({ level }: Final): boolean => level === 'passing' || level === 'none'

const idsByCheck = (outcomes: readonly Outcome[]): Map<string, string[]> => {
  const ids = new Map<string, string[]>()
  for (const { checkId, id } of outcomes) {
    const own = ids.get(checkId)
    if (own === undefined) ids.set(checkId, [id])
    else own.push(id)
  }
  return ids
}

type Judging = { known: Known; later: readonly string[]; now: number }

/** Null where it changes nothing. */
const changeBy = (final: Final, { known, later, now }: Judging): StateChange | null => {
  const subject = known.subjects.get(final.checkId)
  const stored = known.states.get(final.checkId)
  if (subject === undefined || stored === undefined) return null
  if (isQuiet(final) && isOver(stored)) return null
  const parallel = subject.expected > 1
  if (final.level === 'none' && !parallel) return null
  const before = isOver(stored) ? known.fresh(final, stored) : stored
  const level = parallel ? verdictNow(subject, final, { known, later, now }) : final.level
  const run = level === 'none' ? null : { level, at: now, stoppedAt: final.stoppedAt }
  const waits = run === null && parallel && !isQuiet(final)
  const openRound = waits ? final.checkRunId : run === null ? before.openRound : closed(before, final)
  const last = run === null ? before.last : final.details
  return { subject, before, after: { last, openRound }, run }
}

/** A round that was waited for is over with a verdict on it or on a later one. */
const closed = ({ openRound }: AlertStateDoc, { checkRunId }: Final): number | null =>
  openRound !== null && openRound > checkRunId ? openRound : null

/** The verdict on a parallel run, if this very outcome completes it; it is judged once. */
const verdictNow = (
  { expected, share }: AlertSubject,
  final: Final,
  { known, later }: Judging,
): RoundReport => {
  const notBefore = new Set([final.id, ...later])
  const others = known
    .reportsOf(final)
    .filter(({ id }) => !notBefore.has(id))
    .map(({ level }) => level)
  const before: RoundReport[] = final.replacesMissed ? [...others, 'none'] : others
  if (roundVerdict(before, expected, share) !== null) return 'none'
  return roundVerdict([...others, final.level], expected, share) ?? 'none'
}
