/**
 * What judging outcomes needs to know, read with a few statements for all of them: the checks as alerting sees them, their states
 * under the transaction's lock, and what the other locations of parallel runs have brought.
 */
import { alertLevelOf } from '../../../../protocol/verdict.ts'
import { allWell } from '../../../alerting/engine/advance.ts'
import { type AlertStateDoc, alertStateDoc } from '../../../alerting/engine/alert-state-doc.ts'
import type { AlertSubject } from '../../../alerting/engine/alert-subject.ts'
import type { RoundReport } from '../../../alerting/engine/round-verdict.ts'
import { holdAlertStates, missedOfRuns, statedChecks } from '../../../alerting/engine/state-queries.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { flagsOfRow } from '../../outcomes/verdict.ts'
import { finalsOfRuns, type LastVerdict, lastVerdicts } from '../../results/stored/other-runs.ts'
import { alertSubjects } from './read-alert-subject.ts'

type Outcome = {
  checkId: string
  accountId: string
  level: RoundReport
  checkRunId: number
  stoppedAt: number
  id: string
  concerns: boolean
  details: { startedAt: number }
}

/** What one location said of a due time; `id`: of its result, or of its missed run. */
type Report = { id: string; level: RoundReport }

export type Known = {
  subjects: ReadonlyMap<string, AlertSubject>
  /** Of checks that are not well or may not be after these outcomes; each changes with the outcomes of its check. */
  states: Map<string, AlertStateDoc>
  /** Those whose rows were made for this. */
  made: readonly string[]
  /** All that were stored of a due time, whatever their turn. */
  reportsOf(run: Pick<Outcome, 'checkId' | 'checkRunId'>): readonly Report[]
  /** An outcome that changes no state may be the last verdict before the one that does. */
  noteVerdict(outcome: Outcome): void
  /** The state of a check that was well before. */
  fresh(outcome: Pick<Outcome, 'checkId'>, stored: AlertStateDoc): AlertStateDoc
}

const isQuiet = ({ level }: Outcome): boolean => level === 'passing' || level === 'none'

const blank: AlertStateDoc = { state: allWell, last: null, openRound: null, heldBack: null }

/** No run takes as long: what started earlier ended before any outcome of now. */
const longestRunMs = 86_400_000

/** A due time's runs start no earlier, agents' clocks allowed for. */
const clockSkewMs = 60_000

export const readKnown = async (
  trx: Db,
  outcomes: readonly Outcome[],
  { now }: Pick<Stamp, 'now'>,
): Promise<Known> => {
  const concerned = await thatMayChange(trx, outcomes)
  const checkIds = [...new Set(concerned.map(({ checkId }) => checkId))].sort()
  const subjects = await alertSubjects(trx, checkIds)
  const { states, made } = await hold(trx, [...subjects.values()], now)
  const reports = await readReports(trx, concerned, subjects)
  const last = await readLast(trx, outcomes, made)
  return {
    subjects,
    states,
    made,
    reportsOf: (run) => reports.get(keyOf(run)) ?? [],
    noteVerdict: ({ checkId, level, stoppedAt, details: { startedAt } }) => {
      if (level !== 'none' && startedAt >= (last.get(checkId)?.startedAt ?? 0))
        last.set(checkId, { startedAt, stoppedAt })
    },
    fresh: ({ checkId }, { state }) => {
      const judgedUpTo = Math.max(state.judgedUpTo, last.get(checkId)?.stoppedAt ?? 0)
      return { ...blank, state: { ...allWell, judgedUpTo } }
    },
  }
}

/** All outcomes of checks of which one may change something: one is bad, or there is a state. */
const thatMayChange = async (trx: Db, outcomes: readonly Outcome[]): Promise<Outcome[]> => {
  const concerned = outcomes.filter(({ concerns }) => concerns)
  const bad = new Set(concerned.filter((one) => !isQuiet(one)).map(({ checkId }) => checkId))
  const unsure = [...new Set(concerned.map(({ checkId }) => checkId))].filter((id) => !bad.has(id))
  const stated = unsure.length === 0 ? [] : await trx.all(statedChecks, { checkIds: unsure })
  const changing = new Set([...bad, ...stated.map(({ check_id }) => check_id)])
  return concerned.filter(({ checkId }) => changing.has(checkId))
}

const hold = async (
  trx: Db,
  subjects: readonly AlertSubject[],
  now: number,
): Promise<Pick<Known, 'states' | 'made'>> => {
  const states = new Map<string, AlertStateDoc>()
  const made: string[] = []
  if (subjects.length === 0) return { states, made }
  const checks = subjects.map(({ id, accountId }) => ({ check_id: id, account_id: accountId }))
  for (const { check_id, doc } of await trx.all(holdAlertStates, { checks, now })) {
    states.set(check_id, doc === '' ? blank : alertStateDoc.read(doc))
    if (doc === '') made.push(check_id)
  }
  return { states, made }
}

const keyOf = ({ checkId, checkRunId }: Pick<Outcome, 'checkId' | 'checkRunId'>): string =>
  `${checkId} ${checkRunId}`

/** Of parallel runs. */
const readReports = async (
  trx: Db,
  outcomes: readonly Outcome[],
  subjects: ReadonlyMap<string, AlertSubject>,
): Promise<Map<string, Report[]>> => {
  const reports = new Map<string, Report[]>()
  for (const outcome of outcomes)
    if ((subjects.get(outcome.checkId)?.expected ?? 1) > 1) reports.set(keyOf(outcome), [])
  if (reports.size === 0) return reports
  const runs = [...new Map(outcomes.map((one) => [keyOf(one), one])).values()].filter((one) =>
    reports.has(keyOf(one)),
  )
  const finals = await finalsOfRuns(
    trx,
    runs.map(({ checkId, checkRunId }) => ({ checkId, checkRunId, since: checkRunId - clockSkewMs })),
  )
  for (const { id, ...final } of finals)
    reports.get(keyOf(final))?.push({ id, level: alertLevelOf(flagsOfRow(final)) })
  const listed = runs.map(({ checkId, checkRunId }) => ({ listed_id: checkId, listed_run: checkRunId }))
  for (const { id, listed_id: checkId, listed_run: checkRunId } of await trx.all(missedOfRuns, {
    runs: listed,
  }))
    reports.get(keyOf({ checkId, checkRunId }))?.push({ id, level: 'none' })
  return reports
}

/** What ended before the outcomes themselves decides nothing. */
const readLast = async (
  trx: Db,
  outcomes: readonly Outcome[],
  checkIds: readonly string[],
): Promise<Map<string, LastVerdict>> => {
  const wanted = new Set(checkIds)
  const own = outcomes.filter(({ checkId }) => wanted.has(checkId))
  const since = own.reduce((earliest, one) => Math.min(earliest, one.stoppedAt), Number.POSITIVE_INFINITY)
  return lastVerdicts(trx, { checkIds, since: since - longestRunMs, excluded: own.map(({ id }) => id) })
}
