/** A group of checks that fails, or is well again, as a whole: in words. Pure. */
import { type Static, Type } from 'typebox'
import type { Speech } from '../../platform/web/html/speech.ts'

/** Of the checks that counted, so many failed. */
export const ToldGroup = Type.Object(
  { id: Type.Integer(), failing: Type.Integer(), counted: Type.Integer() },
  { additionalProperties: false },
)
export type ToldGroup = Static<typeof ToldGroup>

type Told = { name: string; isOver: boolean; speech: Pick<Speech, 'text' | 'counted'> }

export const groupTitle = ({ failing, counted: all }: ToldGroup, { name, isOver, speech }: Told): string => {
  const { text, counted } = speech
  if (isOver) return text('Group "{0}" has recovered', name)
  return counted(
    all,
    { one: 'Group "{0}" is failing: {1} of # check', other: 'Group "{0}" is failing: {1} of # checks' },
    name,
    failing,
  )
}

/** What still fails although the group as a whole does not. */
export const groupReason = ({ failing, counted: all }: ToldGroup, { isOver, speech }: Told): string | null =>
  isOver && failing > 0
    ? speech.counted(
        all,
        { one: '{0} of # check still fails.', other: '{0} of # checks still fail.' },
        failing,
      )
    : null
