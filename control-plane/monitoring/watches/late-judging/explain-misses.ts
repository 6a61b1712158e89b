/**
 * Why nobody ran what was due in an outage. An agent that is alone does not begin a run while an earlier one of its check still executes; the
 * results say when that was so.
 */
import { checkTypes, runLimitMs } from '../../../../protocol/check-type.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { someResults } from '../../results/stored/list-results.ts'
import type { Result } from '../../results/stored/result.ts'
import type { AwaitedRun } from '../../schedule/awaited-runs.ts'
import { overlap } from '../../schedule/missed-runs.ts'
import { dueTimesIn, withoutDueTimes } from '../../schedule/without-due-times.ts'

/** No run takes longer, its retries not counted. */
const longestRunMs = Math.max(...checkTypes.map(runLimitMs))
/** More than begin in that time, of checks whose runs take longer than their period. */
const mostResults = 200

/** Awaited runs as they are missed: those at which the run before still executed are ranges of their own. */
export const explainMisses = async (
  trx: Db,
  awaited: readonly AwaitedRun[],
  newId: () => string,
): Promise<AwaitedRun[]> => {
  const explained: AwaitedRun[] = []
  for (const range of awaited) explained.push(...withOverlaps(range, await runsAround(trx, range), newId))
  return explained
}

type Span = { from: number; to: number }

/** When runs of the check executed in this location, from their first attempt to their end. */
const runsAround = async (trx: Db, { checkId, location, ...due }: AwaitedRun): Promise<Span[]> => {
  const within = { from: due.firstDueAt - longestRunMs, to: due.lastDueAt + 1 }
  const list = { checkId, direction: 'newest-first', ...within, filter: { location: location.name } } as const
  return spansOf(await someResults(trx, list, mostResults))
}

const spansOf = (results: readonly Result[]): Span[] => {
  const spans = new Map<string, Span>()
  for (const { sequence_id: id, started_at: from, stopped_at: to } of results) {
    const known = spans.get(id) ?? { from, to }
    spans.set(id, { from: Math.min(known.from, from), to: Math.max(known.to, to) })
  }
  return [...spans.values()]
}

const withOverlaps = (range: AwaitedRun, runs: readonly Span[], newId: () => string): AwaitedRun[] => {
  const isOverlapped = (dueAt: number) => runs.some(({ from, to }) => from < dueAt && dueAt < to)
  const [overlapped, others] = [true, false].map((wanted) =>
    dueTimesIn(range).filter((dueAt) => isOverlapped(dueAt) === wanted),
  ) as [number[], number[]]
  if (overlapped.length === 0) return [range]
  return [
    ...withoutDueTimes(range, others).map((left) => ({ ...range, ...left, ...overlap })),
    ...withoutDueTimes(range, overlapped).map((left) => ({ ...range, ...left })),
  ].map((left, position) => (position === 0 ? left : { ...left, id: newId() }))
}
