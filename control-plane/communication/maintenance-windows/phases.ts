/**
 * What becomes of one occurrence: the statuses it passes through, each with the time from which it holds. Pure.
 *
 * An occurrence begins as SCHEDULED. With `autoStart` its start makes it IN_PROGRESS; with `autoEnd` its end makes it
 * COMPLETED. Without `autoEnd` it goes on until an update closes it, at the latest until the next occurrence starts.
 * An update sets its status from the moment it is posted. Only IN_PROGRESS and VERIFYING are *active*: they pause and
 * silence.
 */
export const maintenanceStatuses = [
  'SCHEDULED',
  'IN_PROGRESS',
  'VERIFYING',
  'COMPLETED',
  'CANCELLED',
] as const
export type MaintenanceStatus = (typeof maintenanceStatuses)[number]

/** `at`: epoch milliseconds. */
export type Phase = { at: number; status: MaintenanceStatus }

export type Lifetime = {
  startsAt: number
  endsAt: number
  autoStart: boolean
  autoEnd: boolean
  /** When the next occurrence of the window starts; null for the last one. Matters only without `autoEnd`. */
  nextStartsAt: number | null
  /** Posted updates in any order. */
  updates: readonly Phase[]
}

const isActive = (status: MaintenanceStatus): boolean => status === 'IN_PROGRESS' || status === 'VERIFYING'

/** Oldest first; the first is SCHEDULED since for ever. */
export const phasesOf = (life: Lifetime): Phase[] => {
  const phases: Phase[] = [{ at: Number.NEGATIVE_INFINITY, status: 'SCHEDULED' }]
  let status: MaintenanceStatus = 'SCHEDULED'
  for (const event of eventsOf(life)) {
    const next: MaintenanceStatus = event.becomes(status)
    if (next !== status) phases.push({ at: event.at, status: next })
    status = next
  }
  return phases
}

export const statusAt = (phases: readonly Phase[], time: number): MaintenanceStatus =>
  phases.findLast(({ at }) => at <= time)?.status ?? 'SCHEDULED'

export type Interval = { from: number; to: number }

/** When it is active, within `within`; `to` is exclusive. */
export const activeTimes = (phases: readonly Phase[], within: Interval): Interval[] =>
  phases.flatMap(({ at, status }, index) => {
    if (!isActive(status)) return []
    const from = Math.max(at, within.from)
    const to = Math.min(phases[index + 1]?.at ?? Number.POSITIVE_INFINITY, within.to)
    return from < to ? [{ from, to }] : []
  })

type Event = { at: number; rank: number; becomes: (status: MaintenanceStatus) => MaintenanceStatus }

const start = (status: MaintenanceStatus): MaintenanceStatus =>
  status === 'SCHEDULED' ? 'IN_PROGRESS' : status
const close = (status: MaintenanceStatus): MaintenanceStatus =>
  status === 'CANCELLED' ? status : 'COMPLETED'

/** At the same moment the schedule comes before what people post. */
const eventsOf = (life: Lifetime): Event[] => {
  const events: Event[] = life.updates.map(({ at, status }) => ({ at, rank: 2, becomes: () => status }))
  if (life.autoStart) events.push({ at: life.startsAt, rank: 0, becomes: start })
  const closesAt = closingTime(life)
  if (closesAt !== null) events.push({ at: closesAt, rank: 1, becomes: close })
  return events.sort((a, b) => a.at - b.at || a.rank - b.rank)
}

const closingTime = ({ autoEnd, endsAt, nextStartsAt }: Lifetime): number | null => {
  if (autoEnd) return endsAt
  return nextStartsAt === null ? null : Math.max(endsAt, nextStartsAt)
}
