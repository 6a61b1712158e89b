import { type Static, Type } from 'typebox'
import { checkTypes } from '../../../protocol/check-type.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import type { AlertResponse } from '../messages/alert-response.ts'
import { alertTypes } from '../messages/alert-types.ts'
import { locationProblemNames } from '../messages/location-problem.ts'

/** What somebody answered to an alert: until the check recovers, or until a moment. */
export const AlertAnswer = Type.Object(
  {
    action: Type.Enum(['ACKNOWLEDGED', 'SNOOZED']),
    at: Type.String({ format: 'date-time' }),
    until: nullable(Type.String({ format: 'date-time' }), { description: 'Of a snooze' }),
    by: Type.String({ description: 'Name or e-mail address, or the name of the key' }),
    via: Type.Enum(['API_KEY', 'SESSION', 'LINK', 'SLACK'], { description: 'LINK: of a message' }),
  },
  { title: 'AlertResponse' },
)
export type AlertAnswer = Static<typeof AlertAnswer>

export const shownResponse = ({ at, until, by, via }: AlertResponse): AlertAnswer => ({
  action: until === null ? 'ACKNOWLEDGED' : 'SNOOZED',
  at: toIso(at),
  until: until === null ? null : toIso(until),
  by,
  via,
})

export const LastAnswer = nullable(AlertAnswer, {
  description: 'What somebody answered to it last; null: nobody has',
})

/** A transition of a check, a private location or a group as a whole that alerts. `responseTime` in milliseconds. */
export const CheckAlert = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String({ description: 'The name of the check, the location or the group at that time' }),
    checkId: nullable(Type.String({ format: 'uuid' }), {
      description: 'null: it is about a location or a group',
    }),
    checkType: nullable(Type.Enum([...checkTypes])),
    location: nullable(
      Type.Object({
        id: Type.String({ format: 'uuid' }),
        name: Type.String(),
        problem: Type.Enum([...locationProblemNames]),
      }),
      { description: 'null: it is about a check or a group' },
    ),
    group: nullable(Type.Object({ id: Type.Integer(), name: Type.String() }), {
      description:
        'The group that fails, or is well again, as a whole; null: it is about a check or a location',
    }),
    runLocation: Type.String(),
    alertType: Type.Enum([...alertTypes]),
    responseTime: Type.Number(),
    error: nullable(Type.String()),
    statusCode: nullable(Type.String()),
    created_at: Type.String({ format: 'date-time' }),
    startedAt: Type.String({ format: 'date-time', description: 'Start of the run' }),
    response: LastAnswer,
    keptBack: nullable(
      Type.Object(
        {
          name: Type.String({ description: 'What it depends on, as it was called then' }),
          from: Type.String({ format: 'date-time' }),
          to: Type.String({
            format: 'date-time',
            description: 'When it was seen that that is well again, or gone',
          }),
        },
        { title: 'KeptBackAlert' },
      ),
      {
        description:
          'It failed before, which was not told, because this was down; null: nothing kept it back',
      },
    ),
  },
  { title: 'CheckAlert' },
)
export type CheckAlert = Static<typeof CheckAlert>
