/**
 * The one door for final outcomes of a check: a run's last attempt, a missed run, a ping that came or stayed away. Behind
 * it lie the alert state, alerts with their notifications, and incidents; all in the caller's transaction.
 *
 * Invariant (promise 4): the alert state is a pure function (alerting/advance.ts) of the outcomes that went through here,
 * in this order, the check's settings and the maintenance windows. Checks that are well have no row, and a passing run of
 * one of them writes nothing.
 */
import { allWell } from '../../alerting/engine/advance.ts'
import type { RunDetails } from '../../alerting/engine/alert-event.ts'
import { type AlertStateDoc, alertStateDoc } from '../../alerting/engine/alert-state-doc.ts'
import { applyStep, type Making } from '../../alerting/engine/apply-step.ts'
import { type RoundReport, roundVerdict } from '../../alerting/engine/round-verdict.ts'
import {
  finalsOfRun,
  findAlertState,
  lastVerdictBefore,
  lockAlertState,
  missedOfRun,
} from '../../alerting/engine/state-queries.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AlertSubject, alertSubject } from '../checks/alert-subject.ts'

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
  details: RunDetails
}

/** After the outcome itself was stored. Returns the names to wake after the commit. */
export const takeFinal = async (trx: Db, final: Final, making: Making): Promise<string[]> => {
  const isQuiet = final.level === 'passing' || final.level === 'none'
  if (isQuiet && !(await trx.get(findAlertState, { checkId: final.checkId }))) return []
  const subject = await alertSubject(trx, final.checkId)
  if (!subject) return []
  const parallel = subject.expected > 1
  if (final.level === 'none' && !parallel) return []
  const before = await lockedState(trx, final, making.now)
  const level = parallel ? await verdictNow(trx, subject, final) : final.level
  const run = level === 'none' ? null : { level, at: making.now, stoppedAt: final.stoppedAt }
  const waits = run === null && parallel && final.level !== 'none' && final.level !== 'passing'
  const openRound = waits ? final.checkRunId : run === null ? before.openRound : closed(before, final)
  const last = run === null ? before.last : final.details
  return applyStep(trx, { subject, before, after: { last, openRound } }, { run, ...making })
}

/** A round that was waited for is over with a verdict on it or on a later one. */
const closed = ({ openRound }: AlertStateDoc, { checkRunId }: Final): number | null =>
  openRound !== null && openRound > checkRunId ? openRound : null

const fresh: AlertStateDoc = { state: allWell, last: null, openRound: null }

const lockedState = async (
  trx: Db,
  { checkId, accountId, id }: Final,
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
    const last = await trx.get(lastVerdictBefore, { checkId, resultId: id })
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
  const finals = await trx.all(finalsOfRun, { checkId, checkRunId, since })
  const missed = await trx.all(missedOfRun, { checkId, checkRunId })
  const others = [
    ...finals.filter(({ id }) => id !== final.id).map(levelOf),
    ...missed.filter(({ id }) => id !== final.id).map((): RoundReport => 'none'),
  ]
  const { expected, share } = subject
  if (roundVerdict(others, expected, share) !== null) return 'none'
  return roundVerdict([...others, final.level], expected, share) ?? 'none'
}

type Verdict = { has_failures: boolean; has_errors: boolean; is_degraded: boolean; is_cancelled: boolean }

const levelOf = (row: Verdict): RoundReport => {
  if (row.is_cancelled || row.has_errors) return 'none'
  if (row.has_failures) return 'failing'
  return row.is_degraded ? 'degraded' : 'passing'
}
