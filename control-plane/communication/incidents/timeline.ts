/**
 * What an incident's updates say about it: its status, and from when to when it lasted. Pure.
 *
 * An incident begins with its first update and ends with the update that resolves it: the first RESOLVED one of those
 * that close the list, so that words added later do not prolong it and a re-opening does. One that was never anything
 * but RESOLVED was filled in afterwards: how long it lasted is not known.
 */
export const incidentStatuses = ['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED'] as const
export type IncidentStatus = (typeof incidentStatuses)[number]

/** `at`: epoch milliseconds at which it happened. */
type Step = { at: number; status: IncidentStatus }

type Timeline = {
  status: IncidentStatus
  /** Null: how long it lasted is not known. */
  startedAt: number | null
  /** Null: open. */
  resolvedAt: number | null
}

/** `steps`: at least one, oldest first. */
export const timelineOf = (steps: readonly Step[]): Timeline => {
  const first = steps[0]
  const last = steps.at(-1)
  if (!first || !last) throw new Error('An incident has at least one update')
  if (last.status !== 'RESOLVED') return { status: last.status, startedAt: first.at, resolvedAt: null }
  const lastOpen = steps.findLastIndex(({ status }) => status !== 'RESOLVED')
  const resolving = steps[lastOpen + 1] ?? last
  return { status: 'RESOLVED', startedAt: lastOpen < 0 ? null : first.at, resolvedAt: resolving.at }
}

/** Whole seconds that the incident lasted, until `now` while it is open; null when not known. */
export const durationSeconds = (
  { startedAt, resolvedAt }: Omit<Timeline, 'status'>,
  now: number,
): number | null =>
  startedAt === null ? null : Math.max(0, Math.floor(((resolvedAt ?? now) - startedAt) / 1000))
