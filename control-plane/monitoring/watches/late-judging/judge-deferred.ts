/**
 * One check after an outage: all of its results that have come in since are judged in the order of their due times, as if nobody could have
 * been told before now (alerting/engine/advance-past.ts). What was over before it could be told is written down for the digest.
 */
import { type CheckType, protocolOf } from '../../../../protocol/check-type.ts'
import { allWell, type JudgedRun, type Level } from '../../../alerting/engine/advance.ts'
import { advancePast, type PastOutage } from '../../../alerting/engine/advance-past.ts'
import { type AlertStateDoc, alertStateDoc } from '../../../alerting/engine/alert-state-doc.ts'
import type { AlertSubject } from '../../../alerting/engine/alert-subject.ts'
import { applyTransitions } from '../../../alerting/engine/apply-transitions.ts'
import { holdAlertStates } from '../../../alerting/engine/state-queries.ts'
import type { RunDetails } from '../../../alerting/messages/alert-event.ts'
import { openByRules, rulesFor } from '../../../communication/incidents/open-by-rules.ts'
import { openIncident, resolveIncidents } from '../../../communication/incidents/open-or-resolve.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { DeferredJudgementsTable } from '../../../platform/store/database/tables/runs.ts'
import { answerOf } from '../../definitions/checks/types/index.ts'
import { resultDoc } from '../../results/result-doc.ts'
import { findResultById } from '../../results/stored/find-results.ts'
import { someResults } from '../../results/stored/list-results.ts'
import type { Result } from '../../results/stored/result.ts'
import { anyAwaitedOf, deleteDeferral, lockDeferral } from '../../schedule/awaited-runs.ts'
import { alertSubjects } from '../alert-states/read-alert-subject.ts'
import { neighboursIn } from '../dependencies/neighbours.ts'
import { pastOutageRows } from './past-outages.ts'
import { pastRounds } from './past-rounds.ts'

/** Returns the names to wake after the commit. */
export const judgeDeferred = async (trx: Db, checkId: string, stamp: Stamp): Promise<string[]> => {
  const deferral = await trx.get(lockDeferral, { checkId })
  if (deferral === undefined || (await trx.get(anyAwaitedOf, { checkId })) !== undefined) return []
  await trx.run(deleteDeferral, { checkId })
  const subject = (await alertSubjects(trx, [checkId])).get(checkId)
  if (subject === undefined) return []
  const results = await resultsSince(trx, checkId, deferral)
  const { runs, openRound, last } = pastRounds(results, { subject, before: deferral.since })
  if (runs.length === 0 && openRound === null && deferral.told === null) return []
  return judge(trx, { subject, runs, openRound, last, told: deferral.told as Level | null }, stamp)
}

/** Runs start no earlier than they are due, clocks allowed for. */
const clockSkewMs = 60_000
/** More than a check has in the time for which orders hold, in all its locations. */
const mostResults = 200_000

const resultsSince = async (
  trx: Db,
  checkId: string,
  { since, first_due_at: firstDueAt }: DeferredJudgementsTable,
): Promise<Result[]> => {
  const from = Math.min(firstDueAt, since) - clockSkewMs
  const list = { checkId, direction: 'oldest-first', from, filter: { resultType: 'FINAL' } } as const
  return (await someResults(trx, list, mostResults)).filter(({ created_at }) => created_at >= since)
}

type Judging = {
  subject: AlertSubject
  runs: readonly JudgedRun[]
  openRound: number | null
  last: Result | null
  told: Level | null
}

const judge = async (
  trx: Db,
  { subject, runs, openRound, last, told }: Judging,
  stamp: Stamp,
): Promise<string[]> => {
  const before = await heldState(trx, subject, stamp)
  const rules = { ...subject.rules, silences: [] }
  const { over } = advancePast(before.state, { runs, told, now: stamp.now, rules })
  for (const outage of over) await writeDown(trx, subject, { outage, ...stamp })
  const details = last === null ? before.last : await detailsOf(trx, last)
  const after = { last: details, openRound: openRound ?? null }
  const neighbours = neighboursIn(trx, stamp, { subjects: [subject] })
  const change = { subject, before, after, run: null, past: { runs, told } }
  return applyTransitions(trx, change, { ...stamp, neighbours })
}

const blank: AlertStateDoc = { state: allWell, last: null, openRound: null, heldBack: null }

const heldState = async (trx: Db, subject: AlertSubject, { now }: Stamp): Promise<AlertStateDoc> => {
  const checks = [{ check_id: subject.id, account_id: subject.accountId }]
  const [row] = await trx.all(holdAlertStates, { checks, now })
  return row === undefined || row.doc === '' ? blank : alertStateDoc.read(row.doc)
}

const detailsOf = async (trx: Db, result: Result): Promise<RunDetails> => {
  const doc = resultDoc.read((await findResultById(trx, result.id))?.doc ?? '{"name":"","error":null}')
  const { resultProperty } = protocolOf(result.check_type as CheckType)
  const detail = resultProperty === null ? null : doc[resultProperty]
  return {
    checkResultId: result.id,
    errorMessage: doc.error,
    responseTime: result.response_time,
    apiStatus: answerOf(result.check_type, detail ?? null).status,
    runLocation: result.location,
    startedAt: result.started_at,
  }
}

/** On status pages it was an incident, of which nobody is told any more. */
const writeDown = async (
  trx: Db,
  subject: AlertSubject,
  { outage, now, newId }: Stamp & { outage: PastOutage },
): Promise<void> => {
  const { id: checkId, accountId, name, triggerIncident, tags } = subject
  await trx.run(pastOutageRows.one, { id: newId(), accountId, checkId, name, ...outage })
  if (outage.level !== 'failing') return
  const failing = { accountId, checkId, at: outage.from }
  if (triggerIncident !== null)
    await openIncident(trx, failing, { ...triggerIncident, notifySubscribers: false }, { now, newId })
  const rules = await rulesFor(trx, [accountId])
  await openByRules(trx, { ...failing, tags, rules, isQuiet: true }, { now, newId })
  await resolveIncidents(trx, checkId, { at: outage.to, now, newId })
}
