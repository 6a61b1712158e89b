/** What alerts may say of a private location, in words. Pure. */
import { type Static, Type } from 'typebox'
import type { Speech } from '../../platform/web/html/speech.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import type { AlertType } from './alert-types.ts'

export const locationProblemNames = ['NO_AGENT', 'TOO_FEW_AGENTS', 'OUTDATED_AGENTS'] as const
export type LocationProblem = (typeof locationProblemNames)[number]

/** So many of the latest minutes are looked at for runs that waited. */
export const watchedMinutes = 10

/** A location, what is or was wrong with it, and what was seen of it then. */
export const ToldLocation = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    problem: Type.Enum([...locationProblemNames]),
    /** Of any agent. */
    lastSeenAt: nullable(Type.Number()),
    /** Of the latest ones, those in which a run waited for an agent. */
    lateMinutes: Type.Integer(),
    /** The oldest version of an agent that is there, and the oldest one that is supported. */
    oldestVersion: nullable(Type.String()),
    supportedVersion: Type.String(),
    /** False: it is over because nothing runs there any more. */
    hasChecks: Type.Boolean(),
  },
  { additionalProperties: false },
)
export type ToldLocation = Static<typeof ToldLocation>

/** Where nobody comes nothing is watched; the others say that it may come to that. */
export const locationAlertType = (problem: LocationProblem, isOver: boolean): AlertType => {
  if (problem === 'NO_AGENT') return isOver ? 'ALERT_RECOVERY' : 'ALERT_FAILURE'
  return isOver ? 'ALERT_DEGRADED_RECOVERY' : 'ALERT_DEGRADED'
}

type Told = { isOver: boolean; speech: Pick<Speech, 'text' | 'instant'> }

export const locationTitle = ({ problem, name }: ToldLocation, { isOver, speech }: Told): string => {
  const { text } = speech
  switch (problem) {
    case 'NO_AGENT':
      return isOver ? text('An agent is back in location {0}', name) : text('No agent in location {0}', name)
    case 'TOO_FEW_AGENTS':
      return isOver
        ? text('Enough agents in location {0} again', name)
        : text('Too few agents in location {0}', name)
    case 'OUTDATED_AGENTS':
      return isOver
        ? text('No outdated agents in location {0} any more', name)
        : text('Outdated agents in location {0}', name)
  }
}

/** Why it is told, by which rule, and what follows from it. */
export const locationReason = (location: ToldLocation, { isOver, speech }: Told): string => {
  const { text, instant } = speech
  const { problem, name, lastSeenAt, lateMinutes, oldestVersion, supportedVersion, hasChecks } = location
  if (isOver && !hasChecks) return text('Nothing runs in the private location "{0}" any more.', name)
  switch (problem) {
    case 'NO_AGENT':
      if (isOver) return text('Checks run in the private location "{0}" again.', name)
      return text(
        'Checks of your account run in the private location "{0}", and no agent serves it. {1} Their runs are missed until an agent returns; that is not counted as an outage of what they check.',
        name,
        lastSeenAt === null
          ? text('No agent has ever been seen there.')
          : text('The last agent was seen on {0}.', instant(lastSeenAt)),
      )
    case 'TOO_FEW_AGENTS':
      if (isOver) return text('No run has waited for an agent in the private location "{0}" lately.', name)
      return text(
        'Runs in the private location "{0}" are late or missed, since its agents are busy: in {1} of the last {2} minutes one had waited for 30 seconds, or for half of its period. More agents help, or more runs at once in each.',
        name,
        String(lateMinutes),
        String(watchedMinutes),
      )
    case 'OUTDATED_AGENTS':
      if (isOver) return text('All agents in the private location "{0}" are supported.', name)
      return text(
        'Agents in the private location "{0}" are older than this control plane supports: the oldest is {1}, and {2} is the oldest that works.',
        name,
        oldestVersion ?? '',
        supportedVersion,
      )
  }
}
