/**
 * Which windows act at a time, and on which checks. Pure: the scheduler asks what is paused, alerting what is silenced.
 * A window acts on a check when it acts on all, or when it shares a tag with the check or the check's group.
 */
import {
  lastStartedBy,
  type Occurrence,
  occurrenceAt,
  occurrenceOn,
  occurrencesBetween,
  type Recurrence,
} from './occurrences.ts'
import { activeTimes, type Interval, type Lifetime, type Phase, phasesOf } from './phases.ts'

/** What was done by hand to the occurrence of one date (occurrences.ts). */
export type Exception = {
  /** Where it was moved to; null where it was not. */
  startsAt: number | null
  endsAt: number | null
  deleted: boolean
  updates: readonly Phase[]
}

export type WindowPlan = Recurrence & {
  /** True on windows that no status page shows, whatever they say. */
  autoStart: boolean
  autoEnd: boolean
  tags: readonly string[]
  pauseAllChecks: boolean
  silenceAlertsTags: readonly string[]
  silenceAllAlerts: boolean
  /** By date. */
  exceptions: ReadonlyMap<string, Exception>
}

/** The windows that act at `time`. */
export const activeWindows = <W extends WindowPlan>(windows: readonly W[], time: number): W[] =>
  windows.filter((window) => activeIntervals(window, { from: time, to: time + 1 }).length > 0)

/** Whether a check with these tags (its own and its group's) gets no scheduled run at `time`. */
export const pausedAt = (windows: readonly WindowPlan[], tags: readonly string[], time: number): boolean =>
  activeWindows(pausing(windows, tags), time).length > 0

/**
 * When, within `within`, checks are paused: for a check's tags (its own and its group's), ordered and not touching. Each
 * window is looked at once, however many checks are asked about.
 */
export const pausesWithin = (
  windows: readonly WindowPlan[],
  within: Interval,
): ((tags: readonly string[]) => Interval[]) => {
  const known = new Map<WindowPlan, Interval[]>()
  const intervalsOf = (window: WindowPlan): Interval[] => {
    const intervals = known.get(window) ?? activeIntervals(window, within)
    known.set(window, intervals)
    return intervals
  }
  return (tags) => merged(pausing(windows, tags).flatMap(intervalsOf))
}

/** Whether alerts of a check with these tags are kept back at `time`. */
export const silencedAt = (
  windows: readonly WindowPlan[],
  tags: readonly string[],
  time: number,
): boolean => {
  const silencing = windows.filter(
    (window) => window.silenceAllAlerts || overlap(window.silenceAlertsTags, tags),
  )
  return activeWindows(silencing, time).length > 0
}

/** When a window acts, within `within`: ordered, not touching. */
export const activeIntervals = (window: WindowPlan, within: Interval): Interval[] => {
  if (within.from >= within.to) return []
  const times = relevant(window, within).flatMap((occurrence) =>
    activeTimes(phasesOf(lifetimeOf(window, occurrence)), within),
  )
  return merged(times)
}

/** What decides an occurrence's statuses; `occurrence` as the repetition gives it. */
export const lifetimeOf = (window: WindowPlan, occurrence: Occurrence): Lifetime => {
  const exception = window.exceptions.get(occurrence.date)
  return {
    startsAt: exception?.startsAt ?? occurrence.startsAt,
    endsAt: exception?.endsAt ?? occurrence.endsAt,
    autoStart: window.autoStart,
    autoEnd: window.autoEnd,
    nextStartsAt: window.autoEnd ? null : nextStart(window, occurrence.index + 1),
    updates: exception?.updates ?? [],
  }
}

/** Occurrences that may be active: those in time, an open earlier one, and all that somebody touched. */
const relevant = (window: WindowPlan, { from, to }: Interval): Occurrence[] => {
  const found = new Map<string, Occurrence>()
  const add = (occurrence: Occurrence | undefined) => {
    if (occurrence && !window.exceptions.get(occurrence.date)?.deleted) found.set(occurrence.date, occurrence)
  }
  for (const occurrence of occurrencesBetween(window, from, to)) add(occurrence)
  for (const date of window.exceptions.keys()) add(occurrenceOn(window, date))
  if (!window.autoEnd) add(latestKept(window, lastStartedBy(window, from)))
  return [...found.values()]
}

const latestKept = (window: WindowPlan, from: number): Occurrence | undefined => {
  for (let index = from; index >= 0; index--) {
    const occurrence = occurrenceAt(window, index)
    if (occurrence && !window.exceptions.get(occurrence.date)?.deleted) return occurrence
  }
  return undefined
}

const nextStart = (window: WindowPlan, from: number): number | null => {
  for (let index = from; ; index++) {
    const occurrence = occurrenceAt(window, index)
    if (occurrence === undefined) return null
    const exception = window.exceptions.get(occurrence.date)
    if (!exception?.deleted) return exception?.startsAt ?? occurrence.startsAt
  }
}

const pausing = (windows: readonly WindowPlan[], tags: readonly string[]): WindowPlan[] =>
  windows.filter((window) => window.pauseAllChecks || overlap(window.tags, tags))

const overlap = (a: readonly string[], b: readonly string[]): boolean => a.some((tag) => b.includes(tag))

const merged = (intervals: readonly Interval[]): Interval[] => {
  const result: Interval[] = []
  for (const { from, to } of [...intervals].sort((a, b) => a.from - b.from)) {
    const last = result.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else result.push({ from, to })
  }
  return result
}
