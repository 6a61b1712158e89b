import { type Static, Type } from 'typebox'
import { nullable } from '../../../platform/words/shapes/nullable.ts'
import { missedRunReasons } from '../../schedule/missed-runs.ts'

const DateTime = Type.String({ format: 'date-time' })

/** A due time of a check in a location that could not be run, and why. It never counts as a failure of the target. */
export const MissedRun = Type.Object(
  {
    id: Type.String(),
    checkId: Type.String({ format: 'uuid' }),
    runLocation: Type.String({ description: 'A public location, or the slug of a private one' }),
    dueAt: DateTime,
    reason: Type.Enum([...missedRunReasons]),
    detail: Type.String({ description: 'One sentence for people' }),
    created_at: DateTime,
  },
  { title: 'MissedRun' },
)
export type MissedRun = Static<typeof MissedRun>

export const MissedRunPage = Type.Object(
  {
    length: Type.Integer({ minimum: 0 }),
    entries: Type.Array(MissedRun, { description: 'Latest due time first' }),
    nextId: nullable(Type.String()),
  },
  { title: 'MissedRunPage' },
)
