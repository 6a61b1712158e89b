import { alertLevelOf } from '../../../../protocol/verdict.ts'
import type { JudgedRun } from '../../../alerting/engine/advance.ts'
import type { AlertSubject } from '../../../alerting/engine/alert-subject.ts'
import { type RoundReport, roundVerdict } from '../../../alerting/engine/round-verdict.ts'
import { flagsOfRow } from '../../outcomes/verdict.ts'
import type { Result } from '../../results/stored/result.ts'

/** `last`: the result that the last verdict came from; `openRound`: a due time that still waits for other locations. */
type PastRounds = { runs: JudgedRun[]; last: Result | null; openRound: number | null }

type Judging = {
  subject: Pick<AlertSubject, 'expected' | 'share'>
  /** What was due before is not waited for any more. */
  before: number
}

/** The final results of a check as judged runs, one a due time, in the order of these. Pure. */
export const pastRounds = (results: readonly Result[], { subject, before }: Judging): PastRounds => {
  const rounds = new Map<number, Result[]>()
  for (const result of results.toSorted(
    (a, b) => a.check_run_id - b.check_run_id || a.stopped_at - b.stopped_at,
  )) {
    // Where one location is enough, each run counts by itself, also two of one due time that was moved.
    const round = rounds.get(result.check_run_id)
    if (round === undefined) rounds.set(result.check_run_id, [result])
    else round.push(result)
  }
  const past: PastRounds = { runs: [], last: null, openRound: null }
  for (const [dueAt, round] of rounds) {
    const level = levelOf(round, { subject, isOver: dueAt < before })
    if (level === null) past.openRound = dueAt
    if (level === null || level === 'none') continue
    past.last = round.findLast((result) => levelOfResult(result) === level) ?? past.last
    const stoppedAt = Math.max(...round.map(({ stopped_at }) => stopped_at))
    past.runs.push({ level, at: stoppedAt, stoppedAt })
    past.openRound = null
  }
  return { ...past, runs: inOrder(past.runs) }
}

/** A run that was repeated after the outage ended after those that were due later: it was judged no later than they were. */
const inOrder = (runs: readonly JudgedRun[]): JudgedRun[] => {
  let before = Number.POSITIVE_INFINITY
  return runs
    .toReversed()
    .map((run) => {
      before = Math.min(before, run.at)
      return { ...run, at: before }
    })
    .toReversed()
}

const levelOfResult = (result: Result): RoundReport => alertLevelOf(flagsOfRow(result))

type Round = { subject: Judging['subject']; isOver: boolean }

/** `none`: no verdict; null: not yet. */
const levelOf = (round: readonly Result[], { subject, isOver }: Round): RoundReport | null => {
  const levels = round.map(levelOfResult)
  const { expected, share } = subject
  if (expected <= 1) return levels.findLast((level) => level !== 'none') ?? 'none'
  const absent = isOver ? Array<RoundReport>(Math.max(0, expected - levels.length)).fill('none') : []
  const verdict = roundVerdict([...levels, ...absent], expected, share)
  if (verdict !== null) return verdict
  return isOver || levels.length >= expected ? 'none' : null
}
