import { type Static, Type } from 'typebox'
import { checkTypes } from '../../../protocol/check-type.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { channelTypes } from '../channels/channel-type.ts'
import { notificationStatuses } from '../messages/alert-types.ts'

const Id = Type.String({ format: 'uuid' })

/** One message to one channel, and what became of it. */
export const AlertNotification = Type.Object(
  {
    id: Id,
    checkId: nullable(Id, { description: 'null: it is about a location or a group' }),
    locationId: nullable(Id),
    groupId: nullable(Type.Integer(), { description: 'Of a message about a group as a whole' }),
    checkName: Type.String({ description: 'What the check, the location or the group was called then' }),
    checkAlertId: Id,
    checkResultId: nullable(Id, { description: 'null: it tells of no single result' }),
    type: Type.Enum([...channelTypes]),
    status: Type.Enum([...notificationStatuses]),
    alertConfig: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: "The channel's `config` at that time, its secrets masked",
    }),
    notificationResult: nullable(Type.String(), { description: 'What the receiver answered last' }),
    timestamp: nullable(Type.String({ format: 'date-time' }), {
      description: 'When it was last tried; null before that',
    }),
    tries: Type.Integer({
      minimum: 0,
      description: 'How often it was tried; a pause that the receiver asks for is no try',
    }),
    mostTries: Type.Integer({ description: 'After so many it is given up' }),
    nextTryAt: nullable(Type.String({ format: 'date-time' }), {
      description: 'When it is tried (again); null: delivered, or given up',
    }),
    waitsUntil: nullable(Type.String({ format: 'date-time' }), {
      description:
        'When the hours of its channel begin that it waits for, or the message leaves that names it with others',
    }),
    toldWith: nullable(Type.String(), {
      description: 'What it is told together with: `storm host example.com`, `group 7`, …; null: nothing',
    }),
    bundleId: nullable(Id, {
      description: 'The notification whose message names this, too; null: it has a message of its own',
    }),
    toldInstead: nullable(Type.Integer(), {
      description: 'The fallback of its channel, which was told when this was given up',
    }),
    insteadOf: nullable(Type.Integer(), {
      description: 'The channel that it could not be delivered to before',
    }),
    alertChannelId: Type.Integer(),
    checkType: nullable(Type.Enum([...checkTypes])),
  },
  { title: 'AlertNotification' },
)
export type AlertNotification = Static<typeof AlertNotification>
