/**
 * From a check's schedule and the time: which due times become jobs, which are missed, and where the schedule stands
 * afterwards. Every due time ends in exactly one of the two, per location. Pure.
 */
import { type Slots, slotAfter, slotAtOrBefore } from './slots.ts'

export type RunLocation = { id: string; name: string }

export type Schedule = Slots & {
  nextAt: number
  /** How many slots have been handed out: round robin takes locations in turn. */
  turn: number
  parallel: boolean
  locations: RunLocation[]
}

/** One due time in one location; not claimed by `expiresAt`, it is missed. */
export type PlannedJob = { dueAt: number; expiresAt: number; location: RunLocation }

/** `count` due times, `stepMs` apart, that nobody could run. */
export type MissedRange = {
  location: RunLocation
  firstDueAt: number
  lastDueAt: number
  stepMs: number
  count: number
}

export type SlotPlan = { jobs: PlannedJob[]; missed: MissedRange[]; nextAt: number; turn: number }

/** A run waits this long for an agent at most, and never beyond the next slot of its check. */
export const maxWaitMs = 6 * 60_000

/**
 * Plans every slot up to `now + lookAheadMs`. Slots that were overtaken by a later one before anybody looked (the
 * control plane was down) are missed; the latest of them still runs, late, if it may still wait.
 */
export const planSlots = (schedule: Schedule, now: number, lookAheadMs: number): SlotPlan => {
  const { nextAt, turn } = schedule
  const horizon = now + lookAheadMs
  if (nextAt > horizon || schedule.locations.length === 0) return { jobs: [], missed: [], nextAt, turn }
  const firstLive = Math.max(nextAt, latestWorthRunning(schedule, now))
  const overtaken = slotCount(schedule, nextAt, firstLive)
  const missed = overtaken > 0 ? missedRanges(schedule, overtaken) : []
  const jobs: PlannedJob[] = []
  let due = firstLive
  let handedOut = turn + overtaken
  while (due <= horizon) {
    for (const location of locationsFor(schedule, handedOut))
      jobs.push({ dueAt: due, expiresAt: expiry(schedule, due), location })
    due = slotAfter(schedule, due)
    handedOut += 1
  }
  return { jobs, missed, nextAt: due, turn: handedOut }
}

/** The latest slot that is due; one that has waited longer than anything may is skipped for the one after it. */
const latestWorthRunning = (schedule: Schedule, now: number): number => {
  const latest = slotAtOrBefore(schedule, now)
  return expiry(schedule, latest) > now ? latest : slotAfter(schedule, latest)
}

const expiry = (schedule: Schedule, due: number): number => due + Math.min(schedule.periodMs, maxWaitMs)

/** Due times from `from` (a slot or a first run off the grid) up to, not including, `until`. */
const slotCount = (schedule: Schedule, from: number, until: number): number =>
  until <= from ? 0 : Math.ceil((until - from) / schedule.periodMs)

const locationsFor = ({ locations, parallel }: Schedule, turn: number): RunLocation[] => {
  const inTurn = locations[turn % locations.length]
  return parallel || inTurn === undefined ? locations : [inTurn]
}

/** Round robin leaves each location every n-th of the overtaken slots; parallel leaves it all of them. */
const missedRanges = (schedule: Schedule, overtaken: number): MissedRange[] => {
  const { locations, parallel, periodMs, nextAt, turn } = schedule
  const stride = parallel ? 1 : locations.length
  return locations.flatMap((location, position) => {
    const first = parallel ? 0 : positionInTurn(position, turn, locations.length)
    if (first >= overtaken) return []
    const count = Math.floor((overtaken - 1 - first) / stride) + 1
    const firstDueAt = nextAt + first * periodMs
    const stepMs = stride * periodMs
    return [{ location, firstDueAt, lastDueAt: firstDueAt + (count - 1) * stepMs, stepMs, count }]
  })
}

const positionInTurn = (position: number, turn: number, size: number): number =>
  (((position - turn) % size) + size) % size
