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
    checkId: Id,
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
    alertChannelId: Type.Integer(),
    checkType: Type.Enum([...checkTypes]),
  },
  { title: 'AlertNotification' },
)
export type AlertNotification = Static<typeof AlertNotification>
