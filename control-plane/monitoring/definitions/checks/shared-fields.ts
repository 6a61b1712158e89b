/**
 * The fields that all check types share, with their defaults. A type's
 * schema spreads `sharedFields` and adds its own.
 */
import { type Static, Type } from 'typebox'
import { publicLocations } from '../../../../protocol/location.ts'
import { runtimeIds } from '../../../../protocol/runtime.ts'
import { AlertSettings } from '../../../access/accounts/alert-settings.ts'
import { severities } from '../../../alerting/messages/alert-types.ts'
import { TriggerIncident } from '../../../communication/incidents/schema.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'
import { DependsOn } from '../dependencies/schema.ts'
import { RetryStrategy } from './retry-strategy.ts'

const maxInt = 2_147_483_647

const AlertChannelSubscription = Type.Object(
  {
    alertChannelId: Type.Integer({ minimum: 1, maximum: maxInt }),
    activated: Type.Optional(Type.Boolean({ default: true })),
  },
  { additionalProperties: false, title: 'AlertChannelSubscription' },
)

const statements = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { maxItems: 20, default: [], description }),
  )

/** What a check is for, in words: kept and shown for those who write and repair checks. */
const Intent = Type.Object(
  {
    goal: Type.String({ minLength: 1, maxLength: 2000 }),
    requiredOutcomes: statements('What has to come out of a run'),
    mustPreserve: statements('What a repair must not change'),
  },
  { additionalProperties: false, title: 'CheckIntent' },
)

export const sharedFields = {
  name: Type.String({ minLength: 1, maxLength: 255 }),
  activated: Type.Boolean({ default: true, description: 'Whether the check runs' }),
  muted: Type.Boolean({ default: false, description: 'No notifications on failure or recovery' }),
  severity: Type.Enum([...severities], {
    default: 'NORMAL',
    description: 'How much it matters: what is critical is told outside of the hours of a channel, too',
  }),
  doubleCheck: Type.Boolean({ default: true, deprecated: true, description: 'Use `retryStrategy`' }),
  shouldFail: Type.Boolean({ default: false, description: 'Error statuses count as passing' }),
  locations: nullable(
    Type.Array(Type.Enum([...publicLocations]), { uniqueItems: true, maxItems: publicLocations.length }),
    { default: [] },
  ),
  privateLocations: nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { uniqueItems: true, maxItems: 100 }),
    { default: [], description: 'Slugs of private locations' },
  ),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100, default: [] }),
  alertSettings: nullable(AlertSettings, { default: {} }),
  useGlobalAlertSettings: Type.Boolean({ default: true }),
  groupId: nullable(Type.Integer({ minimum: 1, maximum: maxInt }), { default: null }),
  groupOrder: nullable(Type.Integer({ minimum: 0, maximum: maxInt }), { default: null }),
  runtimeId: nullable(Type.Enum([...runtimeIds]), { default: null }),
  alertChannelSubscriptions: Type.Array(AlertChannelSubscription, { maxItems: 1000, default: [] }),
  dependsOn: DependsOn,
  retryStrategy: nullable(RetryStrategy, { default: null }),
  triggerIncident: nullable(TriggerIncident, { default: null }),
  intent: nullable(Intent, {
    default: null,
    description: 'What it is for, in words; without effect on runs',
  }),
  aiAutoRepairEnabled: nullable(Type.Boolean(), {
    default: null,
    description: 'Kept and shown, without effect',
  }),
  runParallel: Type.Boolean({ default: false, description: 'Run in all locations at once, not in turn' }),
  description: nullable(Type.String({ maxLength: 500 }), { default: null }),
  standingOrders: Type.Boolean({
    default: true,
    description: 'Whether agents go on running it while they cannot reach the control plane',
  }),
}

/** What a check, or a group of them, was allowed to be written with and will not do what was meant by it. */
export const CheckWarning = Type.Object(
  {
    location: nullable(Type.String(), {
      description: 'Code of a public location or slug of a private one; null: it is so wherever it runs',
    }),
    message: Type.String(),
  },
  { title: 'CheckWarning' },
)
export type CheckWarning = Static<typeof CheckWarning>
