/**
 * The fields that all check types share, with their defaults. A type's
 * schema spreads `sharedFields` and adds its own.
 */
import { type TOptional, type TSchema, Type } from 'typebox'
import { publicLocations } from '../../../../protocol/location.ts'
import { runtimeIds } from '../../../../protocol/runtime.ts'
import { AlertSettings } from './alert-settings.ts'
import { nullable } from './nullable.ts'
import { RetryStrategy } from './retry-strategy.ts'

const maxInt = 2_147_483_647

export const TriggerIncident = Type.Object(
  {
    serviceId: Type.String({ minLength: 1, maxLength: 64 }),
    name: Type.String({ minLength: 1, maxLength: 255 }),
    description: Type.Optional(Type.String({ maxLength: 2000, default: '' })),
    severity: Type.Optional(Type.Enum(['CRITICAL', 'MAJOR', 'MEDIUM', 'MINOR'], { default: 'MINOR' })),
    notifySubscribers: Type.Optional(Type.Boolean({ default: true })),
  },
  { additionalProperties: false, title: 'TriggerIncident' },
)

export const AlertChannelSubscription = Type.Object(
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
export const Intent = Type.Object(
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
}

type Fields = Record<string, TSchema>
type Optional<F extends Fields> = { [K in keyof F]: TOptional<F[K]> }

/** For creation: what is left out gets its default. */
export const optional = <F extends Fields>(fields: F): Optional<F> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as Optional<F>

/** For updates: what is left out stays as it is, so there are no defaults on this level. */
export const changesOf = <F extends Fields>(fields: F): Optional<F> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const { default: fallback, ...withoutDefault } = schema as TSchema & { default?: unknown }
      const change = Type.Optional(withoutDefault as TSchema)
      return [name, fallback === undefined && !Type.IsOptional(schema) ? alwaysThere(change) : change]
    }),
  ) as Optional<F>

const mark = '~alwaysThere'

/** Said beside the schema, as TypeBox says what is optional: it is no part of what documents show. */
const alwaysThere = (schema: TSchema): TSchema => Object.defineProperty(schema, mark, { value: true })

/** Whether a field may be left out of a change only because it has a value since the creation: a name. */
export const isAlwaysThere = (schema: object): boolean => mark in schema
