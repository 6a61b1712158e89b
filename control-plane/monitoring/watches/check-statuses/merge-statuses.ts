import type { NewStatus } from './queries.ts'

/**
 * What several runs of a check leave of its status, as one row where that says the same as all of them, written one after
 * the other (queries.ts). What `unknown` does depends on what is stored, so it is not merged: its row comes in a later round.
 * Each round has at most one row a check, in the order of their ids, so that transactions do not deadlock. Pure.
 */
export const mergeStatuses = (statuses: readonly NewStatus[]): NewStatus[][] => {
  const rounds: Map<string, NewStatus>[] = []
  const lastRound = new Map<string, number>()
  for (const status of statuses) {
    const { checkId } = status
    const round = lastRound.get(checkId) ?? -1
    const before = rounds[round]?.get(checkId)
    const merged = before && merge(before, status)
    const at = merged ? round : round + 1
    const rows = rounds[at] ?? new Map<string, NewStatus>()
    rounds[at] = rows.set(checkId, merged ?? status)
    lastRound.set(checkId, at)
  }
  return rounds.map((rows) => [...rows.values()].sort((a, b) => (a.checkId < b.checkId ? -1 : 1)))
}

/** Null where one row cannot say it. */
const merge = (before: NewStatus, status: NewStatus): NewStatus | null => {
  if (before.state === 'unknown' || status.state === 'unknown') return null
  const latest = status.startedAt >= before.startedAt ? status : before
  return {
    ...latest,
    longestRunMs: Math.max(before.longestRunMs, status.longestRunMs),
    shortestRunMs: Math.min(before.shortestRunMs, status.shortestRunMs),
    updatedAt: status.now,
  }
}
