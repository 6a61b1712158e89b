import { type Static, Type } from 'typebox'
import { severities } from '../../alerting/messages/alert-types.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'

/** In the order in which they count: the first one that holds is said. */
export const silentReasons = [
  'DEACTIVATED',
  'MUTED',
  'NO_SUBSCRIPTION',
  'SUBSCRIPTIONS_OFF',
  'NO_FAILURES',
  'CANNOT_DELIVER',
  'GROUP_TELLS',
  'MAINTENANCE',
  'DEPENDENCY',
  'QUIET_HOURS',
] as const

const Moment = Type.String({ format: 'date-time' })

export const SilentCheck = Type.Object(
  {
    checkId: Type.String({ format: 'uuid' }),
    name: Type.String(),
    groupId: nullable(Type.Integer()),
    severity: Type.Enum([...severities]),
    reason: Type.Enum([...silentReasons], { description: 'The first one that holds, in this order' }),
    by: nullable(Type.Enum(['check', 'group']), {
      description: 'Of `DEACTIVATED` and `MUTED`: whose setting it is',
    }),
    because: nullable(Type.String(), {
      description: 'Of `GROUP_TELLS`, `MAINTENANCE` and `DEPENDENCY`: the group, the window, or what is down',
    }),
    since: nullable(Moment, { description: 'Of `CANNOT_DELIVER`: since when nothing has arrived' }),
    until: nullable(Moment, {
      description: 'Of `MAINTENANCE` and `QUIET_HOURS`: when it is over; null: not within a day',
    }),
    alertChannelIds: Type.Array(Type.Integer(), {
      description: 'The channels that would tell of it, were it not for the reason',
    }),
  },
  { title: 'SilentCheck' },
)
export type SilentCheck = Static<typeof SilentCheck>
