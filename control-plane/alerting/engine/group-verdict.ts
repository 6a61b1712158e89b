/**
 * Whether a group of checks is failing by its own rule, and what people are told of it. A check counts while something is known of it and
 * nothing silences it; it counts as failing when its failure is told, or would be if the group did not tell instead of it: so thresholds,
 * flapping, maintenance and dependencies have had their say before. Pure.
 */
import { type Static, Type } from 'typebox'

const groupRules = ['ANY', 'ALL', 'PERCENTAGE'] as const
const groupTellers = ['CHECKS', 'GROUP', 'BOTH'] as const

export const GroupHealth = Type.Object(
  {
    failingWhen: Type.Enum([...groupRules], {
      description: 'It is failing while any, all, or `percentage` of the checks that count fail',
    }),
    percentage: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Only with `PERCENTAGE`' }),
    ),
    tells: Type.Optional(
      Type.Enum([...groupTellers], {
        default: 'BOTH',
        description:
          'Who tells of failures. The group tells the alert channels that it is subscribed to itself',
      }),
    ),
  },
  { additionalProperties: false, title: 'GroupHealth' },
)

export type GroupHealthRule = Required<Static<typeof GroupHealth>>

/** `told`: people were told that it fails, or would have been. */
export type GroupMember = {
  told: 'degraded' | 'failing' | null
  /** False: it has never been run, or not lately. */
  isKnown: boolean
  isMuted: boolean
  inMaintenance: boolean
  /** Because of what it depends on. */
  isKeptBack: boolean
}

export const groupStates = ['passing', 'failing', 'unknown'] as const
export type GroupState = (typeof groupStates)[number]
type GroupVerdict = { state: GroupState; failing: number; counted: number }

/** What was told already still counts while a silence lasts that keeps back what is new. */
const counts = ({ told, isKnown, isMuted, inMaintenance, isKeptBack }: GroupMember): boolean =>
  isKnown && !isMuted && (told === 'failing' || !(inMaintenance || isKeptBack))

/** How many of those that count have to fail; one at least. */
export const neededOf = (
  counted: number,
  { failingWhen, percentage }: Pick<GroupHealthRule, 'failingWhen' | 'percentage'>,
): number => Math.max(1, { ANY: 1, ALL: counted, PERCENTAGE: (counted * percentage) / 100 }[failingWhen])

/** Of its active checks. */
export const groupVerdict = (
  members: readonly GroupMember[],
  { failingWhen, percentage }: GroupHealthRule,
): GroupVerdict => {
  const counted = members.filter(counts)
  const failing = counted.filter(({ told }) => told === 'failing').length
  if (counted.length === 0) return { state: 'unknown', failing: 0, counted: 0 }
  const needed = neededOf(counted.length, { failingWhen, percentage })
  return {
    state: failing >= needed ? 'failing' : 'passing',
    failing,
    counted: counted.length,
  }
}

export type GroupHealthState = GroupVerdict & {
  since: number
  /** What people know. */
  told: 'failing' | null
}

/** `tell`: what people are to be told now; of what is unknown they are told nothing. */
export const nextGroupHealth = (
  before: GroupHealthState,
  verdict: GroupVerdict,
  { tells, now }: { tells: GroupHealthRule['tells']; now: number },
): { next: GroupHealthState; tell: 'failure' | 'recovery' | null } => {
  const next = { ...verdict, since: verdict.state === before.state ? before.since : now, told: before.told }
  if (tells === 'CHECKS') return { next: { ...next, told: null }, tell: null }
  if (verdict.state === 'failing' && before.told === null)
    return { next: { ...next, told: 'failing' }, tell: 'failure' }
  if (verdict.state === 'passing' && before.told !== null)
    return { next: { ...next, told: null }, tell: 'recovery' }
  return { next, tell: null }
}
