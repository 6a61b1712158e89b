/**
 * Alert channels: where notifications go. What `config` holds depends on `type`
 * (alerting/channels). Secrets of a config are shown as masks; a change that sends a mask back keeps the secret.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { Grouping } from '../../access/accounts/alert-settings.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { type ChannelConfig, channelTypes } from '../channels/channel-type.ts'
import { channels } from '../channels/index.ts'
import { ChannelHours } from './channel-hours.ts'

const closed = { additionalProperties: false }
const maxInt = 2_147_483_647
const DateTime = Type.String({ format: 'date-time' })
const CheckId = nullable(Type.String({ format: 'uuid' }))
const GroupId = nullable(Type.Integer({ minimum: 1, maximum: maxInt }))

/** Exactly one of `checkId` and `groupId`. */
export const NewSubscription = Type.Object(
  { checkId: Type.Optional(CheckId), groupId: Type.Optional(GroupId), activated: Type.Boolean() },
  { ...closed, title: 'NewChannelSubscription' },
)
export type NewSubscription = Static<typeof NewSubscription>

/** At least one of them; a check that any of them holds for is subscribed. */
export const ChecksToSubscribe = Type.Object(
  {
    all: Type.Optional(Type.Boolean({ default: false, description: 'All checks that exist' })),
    search: Type.Optional(
      nullable(Type.String({ minLength: 1, maxLength: 255 }), {
        default: null,
        description: 'Checks whose name contains this, in any case',
      }),
    ),
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 100,
        default: [],
        description: 'Checks with one of these tags, or whose group has one',
      }),
    ),
    groupIds: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: maxInt }), {
        maxItems: 500,
        default: [],
        description: 'The checks that are in these groups now',
      }),
    ),
  },
  { ...closed, title: 'ChecksToSubscribe' },
)

export const Subscription = Type.Object(
  { id: Type.Integer(), checkId: CheckId, groupId: GroupId, activated: Type.Boolean() },
  { title: 'ChannelSubscription' },
)
export type Subscription = Static<typeof Subscription>

export const flags = {
  sendRecovery: Type.Boolean({ default: true }),
  sendFailure: Type.Boolean({ default: true }),
  sendDegraded: Type.Boolean({ default: false }),
  sslExpiry: Type.Boolean({ default: false, description: 'Alert on expiring SSL certificates' }),
  sslExpiryThreshold: Type.Integer({
    minimum: 1,
    maximum: 30,
    default: 30,
    description: 'Days before the expiry',
  }),
  autoSubscribe: Type.Boolean({ default: false, description: 'Subscribe newly created checks' }),
  locationAlerts: Type.Boolean({
    default: false,
    description:
      'Told of private locations without agents, with too few or outdated ones; left out when a channel is made: as `autoSubscribe`',
  }),
  fallbackChannelId: nullable(Type.Integer({ minimum: 1, maximum: maxInt }), {
    default: null,
    description: 'Channel that is told of what could not be delivered to this one',
  }),
  hours: nullable(ChannelHours, {
    default: null,
    description: 'When it is told of what can wait; without them always',
  }),
  grouping: nullable(Grouping, {
    default: null,
    description: 'What it is told of together; without it as the account says',
  }),
}
export type Flags = { [K in keyof typeof flags]: Static<(typeof flags)[K]> }

const Config = Type.Unsafe<ChannelConfig>({
  type: 'object',
  additionalProperties: true,
  description: 'Depends on `type`: `EmailChannelConfig`, `WebhookChannelConfig` …',
})
const Channel = Type.Enum([...channelTypes])

/** The config of each type, chosen by `type`. */
const configByType = channelTypes.map((type) => ({
  if: { properties: { type: { const: type } }, required: ['type'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { config: channels[type].config } },
}))

const sent = {
  type: Channel,
  config: Config,
  subscriptions: Type.Optional(
    Type.Array(NewSubscription, { maxItems: 10_000, description: 'All subscriptions of the channel' }),
  ),
}

/** A default is no part of a schema's type. */
const withoutDefault = <S extends TSchema>(schema: S): S => {
  const { default: _, ...rest } = schema as S & { default?: unknown }
  return rest as unknown as S
}

export const NewAlertChannel = Type.Object(
  {
    ...sent,
    sendRecovery: Type.Optional(flags.sendRecovery),
    sendFailure: Type.Optional(flags.sendFailure),
    sendDegraded: Type.Optional(flags.sendDegraded),
    sslExpiry: Type.Optional(flags.sslExpiry),
    sslExpiryThreshold: Type.Optional(flags.sslExpiryThreshold),
    autoSubscribe: Type.Optional(flags.autoSubscribe),
    locationAlerts: Type.Optional(withoutDefault(flags.locationAlerts)),
    fallbackChannelId: Type.Optional(withoutDefault(flags.fallbackChannelId)),
    hours: Type.Optional(withoutDefault(flags.hours)),
    grouping: Type.Optional(withoutDefault(flags.grouping)),
  },
  { ...closed, title: 'NewAlertChannel', allOf: configByType },
)

/** Flags and subscriptions that are left out stay as they are. */
export const AlertChannelChanges = Type.Object(
  {
    ...sent,
    sendRecovery: Type.Optional(withoutDefault(flags.sendRecovery)),
    sendFailure: Type.Optional(withoutDefault(flags.sendFailure)),
    sendDegraded: Type.Optional(withoutDefault(flags.sendDegraded)),
    sslExpiry: Type.Optional(withoutDefault(flags.sslExpiry)),
    sslExpiryThreshold: Type.Optional(withoutDefault(flags.sslExpiryThreshold)),
    autoSubscribe: Type.Optional(withoutDefault(flags.autoSubscribe)),
    locationAlerts: Type.Optional(withoutDefault(flags.locationAlerts)),
    fallbackChannelId: Type.Optional(withoutDefault(flags.fallbackChannelId)),
    hours: Type.Optional(withoutDefault(flags.hours)),
    grouping: Type.Optional(withoutDefault(flags.grouping)),
  },
  { ...closed, title: 'AlertChannelChanges', allOf: configByType },
)

const ChannelWarning = Type.Object({ message: Type.String() }, { title: 'ChannelWarning' })

export const AlertChannel = Type.Object(
  {
    id: Type.Integer(),
    type: Channel,
    config: Config,
    subscriptions: Type.Array(Subscription),
    ...flags,
    created_at: DateTime,
    updated_at: nullable(DateTime),
    warnings: Type.Optional(
      Type.Array(ChannelWarning, {
        description: 'Only in answers to writes: why nothing can be sent to the channel at the moment',
      }),
    ),
  },
  { title: 'AlertChannel' },
)
export type AlertChannel = Static<typeof AlertChannel>

export const ChannelId = Type.Object({ id: Type.Integer({ minimum: 1, maximum: maxInt }) })

/** What came of a test notification. */
export const ChannelTest = Type.Object(
  {
    delivered: Type.Boolean({ description: 'The receiver accepted it' }),
    answer: Type.String({ description: 'What the receiver answered, or why nothing reached it' }),
  },
  { title: 'AlertChannelTest' },
)
export type ChannelTest = Static<typeof ChannelTest>
