import { type Static, Type } from 'typebox'
import { checkTypes } from '../../../protocol/check-type.ts'
import { nullable } from '../../platform/shapes/nullable.ts'
import { alertTypes } from '../engine/alert-types.ts'

/** A transition of a check that alerts. `responseTime` in milliseconds. */
export const CheckAlert = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String({ description: "The check's name at that time" }),
    checkId: Type.String({ format: 'uuid' }),
    checkType: Type.Enum([...checkTypes]),
    runLocation: Type.String(),
    alertType: Type.Enum([...alertTypes]),
    responseTime: Type.Number(),
    error: nullable(Type.String()),
    statusCode: nullable(Type.String()),
    created_at: Type.String({ format: 'date-time' }),
    startedAt: Type.String({ format: 'date-time', description: 'Start of the run' }),
  },
  { title: 'CheckAlert' },
)
export type CheckAlert = Static<typeof CheckAlert>
