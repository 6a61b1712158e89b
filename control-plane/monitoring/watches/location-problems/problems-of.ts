/** What is wrong with a private location that checks run in, by what was seen of it. Pure. */
import { type LocationProblem, watchedMinutes } from '../../../alerting/messages/location-problem.ts'
import { skewOf } from '../../locations/agents/versions.ts'

/** So long it has to last before it is told; the minutes that are looked at are long enough. */
export const heldMs: Readonly<Record<LocationProblem, number>> = {
  NO_AGENT: 10 * 60_000,
  TOO_FEW_AGENTS: 0,
  OUTDATED_AGENTS: 10 * 60_000,
}

/** It begins with so many of the minutes looked at, and is over when there is none. */
const lateMinutesToTell = 5
/** An autoscaler looks and a pod starts in less. */
const waitingMinutesToTell = 5

type Seen = {
  /** An agent is there now. */
  isServed: boolean
  /** Of the latest minutes, those in which a run had waited for an agent that could have run it. */
  lateMinutes: number
  /** An autoscaler may have taken away all agents while nothing waited. */
  scalesToZero: boolean
  /** Of the latest minutes, those at whose end a run waited. */
  waitingMinutes: number
  /** Of the agents that are there. */
  versions: readonly string[]
  controlPlaneVersion: string
}

/** Null: nobody can say; it is neither begun nor over. */
type Answer = boolean | null

export const problemsOf = (
  { isServed, lateMinutes, scalesToZero, waitingMinutes, versions, controlPlaneVersion }: Seen,
  known: ReadonlySet<LocationProblem>,
): Readonly<Record<LocationProblem, Answer>> => {
  return {
    // Where nobody came for what waited, nobody is there until somebody is, also when nothing waits any longer.
    NO_AGENT: !isServed && (!scalesToZero || known.has('NO_AGENT') || waitingMinutes >= waitingMinutesToTell),
    // Where nobody is, all runs wait, and for another reason.
    TOO_FEW_AGENTS: !isServed
      ? null
      : lateMinutes >= lateMinutesToTell || (known.has('TOO_FEW_AGENTS') && lateMinutes > 0),
    OUTDATED_AGENTS: !isServed
      ? null
      : versions.some((version) => skewOf(version, controlPlaneVersion) === 'TOO_OLD'),
  }
}

/** The latest minutes at `now`: the one that is being filled, and those before it. */
export const watchedSince = (now: number): number => now - (now % 60_000) - (watchedMinutes - 1) * 60_000
