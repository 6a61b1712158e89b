/**
 * All final outcomes of a check come here: a run's last attempt, a missed run, a ping that came or stayed away. From
 * here follow the alert state, alerts with their notifications, and incidents; all in the caller's transaction.
 *
 * Invariant (promise 4): the alert state is a pure function (alerting/advance.ts) of the outcomes that went through here,
 * in this order, the check's settings and the maintenance windows. Checks that are well have no row, and a passing run of
 * one of them writes nothing.
 */

import { alertLevelOf } from '../../../../protocol/verdict.ts'
import { allWell } from '../../../alerting/engine/advance.ts'
import { type AlertStateDoc, alertStateDoc } from '../../../alerting/engine/alert-state-doc.ts'
import type { AlertSubject } from '../../../alerting/engine/alert-subject.ts'
import { applyTransitions } from '../../../alerting/engine/apply-transitions.ts'
import { type RoundReport, roundVerdict } from '../../../alerting/engine/round-verdict.ts'
import {
  findAlertState,
  lockAlertState,
  missedOfRun,
  statedChecks,
} from '../../../alerting/engine/state-queries.ts'
import type { RunDetails } from '../../../alerting/messages/alert-event.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { answerOf } from '../../definitions/checks/types/index.ts'
import type { FinalResult, MissedDueTime } from '../../outcomes/consequences.ts'
import { flagsOfRow } from '../../outcomes/verdict.ts'
import { finalsOfRun, lastVerdictBefore } from './other-runs.ts'
import { alertSubject } from './read-alert-subject.ts'

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
  /** Outcomes of the check that are stored and do not count yet: their turn comes after this one. */
  later?: readonly string[]
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
  const unseen = idsByCheck(results)
  const wake: string[] = []
  for (const result of results) {
    const later = unseen.get(result.checkId)?.slice(1) ?? []
    unseen.set(result.checkId, later)
    if (concernsAlerts(result)) wake.push(...(await alertOnFinal(trx, finalOf(result, later), stamp)))
  }
  return wake
}

const idsByCheck = (results: readonly Pick<FinalResult, 'checkId' | 'resultId'>[]): Map<string, string[]> => {
  const ids = new Map<string, string[]>()
  for (const { checkId, resultId } of results) ids.set(checkId, [...(ids.get(checkId) ?? []), resultId])
  return ids
}

const finalOf = (result: FinalResult, later: readonly string[]): Final => ({
  checkId: result.checkId,
  accountId: result.accountId,
  level: alertLevelOf(result.verdict),
  checkRunId: result.checkRunId,
  stoppedAt: result.stoppedAt,
  id: result.resultId,
  later,
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
export const alertOnMissedRuns = async (
  trx: Db,
  missed: readonly MissedDueTime[],
  stamp: Stamp,
): Promise<string[]> => {
  const checkIds = [...new Set(missed.map(({ checkId }) => checkId))]
  const stated = new Set((await trx.all(statedChecks, { checkIds })).map(({ check_id }) => check_id))
  const unseen = idsByCheck(missed.map(({ checkId, missedRunId }) => ({ checkId, resultId: missedRunId })))
  const wake: string[] = []
  for (const one of missed) {
    const later = unseen.get(one.checkId)?.slice(1) ?? []
    unseen.set(one.checkId, later)
    if (stated.has(one.checkId))
      wake.push(...(await alertOnFinal(trx, finalOfMissed(one, later, stamp), stamp)))
  }
  return wake
}

const finalOfMissed = (
  missed: MissedDueTime,
  later: readonly string[],
  { now }: Pick<Stamp, 'now'>,
): Final => ({
  checkId: missed.checkId,
  accountId: missed.accountId,
  level: 'none',
  checkRunId: missed.checkRunId,
  stoppedAt: now,
  id: missed.missedRunId,
  later,
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
export const alertOnFinal = async (trx: Db, final: Final, stamp: Stamp): Promise<string[]> => {
  const isQuiet = final.level === 'passing' || final.level === 'none'
  if (isQuiet && !(await trx.get(findAlertState, { checkId: final.checkId }))) return []
  const subject = await alertSubject(trx, final.checkId)
  if (!subject) return []
  const parallel = subject.expected > 1
  if (final.level === 'none' && !parallel) return []
  const before = await lockedState(trx, final, stamp.now)
  const level = parallel ? await verdictNow(trx, subject, final) : final.level
  const run = level === 'none' ? null : { level, at: stamp.now, stoppedAt: final.stoppedAt }
  const waits = run === null && parallel && final.level !== 'none' && final.level !== 'passing'
  const openRound = waits ? final.checkRunId : run === null ? before.openRound : closed(before, final)
  const last = run === null ? before.last : final.details
  return applyTransitions(trx, { subject, before, after: { last, openRound } }, { run, ...stamp })
}

/** A round that was waited for is over with a verdict on it or on a later one. */
const closed = ({ openRound }: AlertStateDoc, { checkRunId }: Final): number | null =>
  openRound !== null && openRound > checkRunId ? openRound : null

const fresh: AlertStateDoc = { state: allWell, last: null, openRound: null }

const lockedState = async (
  trx: Db,
  { checkId, accountId, id, later = [] }: Final,
  now: number,
): Promise<AlertStateDoc> => {
  const row = await trx.get(lockAlertState, {
    check_id: checkId,
    account_id: accountId,
    level: 'passing',
    wake_at: null,
    updated_at: now,
    doc: '',
  })
  if (row === undefined || row.doc === '') {
    const last = await lastVerdictBefore(trx, { checkId, excluded: [id, ...later] })
    return { ...fresh, state: { ...allWell, judgedUpTo: last?.stopped_at ?? 0 } }
  }
  return alertStateDoc.read(row.doc)
}

/** A due time's runs start no earlier, agents' clocks allowed for. */
const clockSkewMs = 60_000

/** The verdict on a parallel run, if this very outcome completes it; it is judged once. */
const verdictNow = async (trx: Db, subject: AlertSubject, final: Final): Promise<RoundReport> => {
  const { checkId, checkRunId } = final
  const since = checkRunId - clockSkewMs
  const finals = await finalsOfRun(trx, { checkId, checkRunId, since })
  const missed = await trx.all(missedOfRun, { checkId, checkRunId })
  const notBefore = new Set([final.id, ...(final.later ?? [])])
  const others = [
    ...finals.filter(({ id }) => !notBefore.has(id)).map((row) => alertLevelOf(flagsOfRow(row))),
    ...missed.filter(({ id }) => !notBefore.has(id)).map((): RoundReport => 'none'),
  ]
  const { expected, share } = subject
  const before: RoundReport[] = final.replacesMissed ? [...others, 'none'] : others
  if (roundVerdict(before, expected, share) !== null) return 'none'
  return roundVerdict([...others, final.level], expected, share) ?? 'none'
}
