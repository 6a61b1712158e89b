/**
 * Check groups: defaults and settings that their checks share. What they do to a check
 * is in effective-settings.ts. The v1 and v2 writes differ in their defaults and in what may be null; the record is one.
 */
import { type Static, type TSchema, type TUnsafe, Type } from 'typebox'
import { ApiAssertion, type BasicAuth, KeyValue } from '../../../../protocol/checks/api.ts'
import { publicLocations } from '../../../../protocol/location.ts'
import { AlertSettings } from '../../../access/accounts/alert-settings.ts'
import { GroupHealth, type GroupHealthRule } from '../../../alerting/engine/group-verdict.ts'
import { storedDoc } from '../../../platform/store/database/stored-doc.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'
import { changesOf, optional } from '../../../platform/words/shapes/optional-fields.ts'
import { EnvironmentVariables } from '../checks/environment-variables.ts'
import { RetryStrategy } from '../checks/retry-strategy.ts'
import { CheckWarning, sharedFields } from '../checks/shared-fields.ts'
import { setupAndTearDown } from '../checks/types/fields.ts'

const closed = { additionalProperties: false }
const maxInt = 2_147_483_647
const DateTime = Type.String({ format: 'date-time' })

const DefaultKeyValue = Type.Object(
  {
    key: KeyValue.properties.key,
    value: Type.Optional(Type.String({ maxLength: 16_384, default: '' })),
    locked: Type.Optional(Type.Boolean({ default: false })),
  },
  closed,
)

const ApiCheckDefaults = Type.Object(
  {
    url: Type.Optional(
      Type.String({ maxLength: 2048, default: '', description: '`{{GROUP_BASE_URL}}` in the checks' }),
    ),
    headers: Type.Optional(Type.Array(DefaultKeyValue, { maxItems: 100, default: [] })),
    queryParameters: Type.Optional(Type.Array(DefaultKeyValue, { maxItems: 100, default: [] })),
    assertions: Type.Optional(Type.Array(ApiAssertion, { maxItems: 100, default: [] })),
    basicAuth: Type.Optional(
      nullable(
        Type.Object(
          {
            username: Type.Optional(Type.String({ maxLength: 1024, default: '' })),
            password: Type.Optional(Type.String({ maxLength: 1024, default: '' })),
          },
          closed,
        ),
        { default: null },
      ),
    ),
  },
  { ...closed, title: 'ApiCheckDefaults', description: 'Added to the requests of API checks' },
)

/** An object, null for no retries, or the text FALLBACK: the checks keep their own. */
const GroupRetryStrategy: TUnsafe<object | 'FALLBACK' | null> = Type.Unsafe({
  ...(RetryStrategy as object),
  type: ['object', 'string', 'null'],
  pattern: '^FALLBACK$',
  title: 'GroupRetryStrategy',
  default: 'FALLBACK',
  description: 'FALLBACK: the checks keep their own; null: no retries',
})

const common = {
  name: Type.String({ minLength: 1, maxLength: 255 }),
  activated: Type.Boolean({ default: true, description: 'false: none of its checks runs' }),
  muted: Type.Boolean({ default: false, description: 'true: none of its checks alerts' }),
  tags: sharedFields.tags,
  locations: Type.Array(Type.Enum([...publicLocations]), {
    uniqueItems: true,
    maxItems: publicLocations.length,
    default: [],
    description: 'Of all its checks; empty, like `privateLocations`: the checks keep their own',
  }),
  privateLocations: sharedFields.privateLocations,
  concurrency: Type.Integer({
    minimum: 1,
    maximum: maxInt,
    default: 3,
    description: 'How many of its checks run at once when the group is triggered',
  }),
  apiCheckDefaults: { ...ApiCheckDefaults, default: {} },
  browserCheckDefaults: Type.String({ maxLength: 65_536, default: '' }),
  runtimeId: sharedFields.runtimeId,
  environmentVariables: EnvironmentVariables,
  alertChannelSubscriptions: sharedFields.alertChannelSubscriptions,
  dependsOn: sharedFields.dependsOn,
  groupHealth: nullable(GroupHealth, {
    default: null,
    description:
      'When the group as a whole is failing, and who tells of it; null: it has no state of its own',
  }),
  ...setupAndTearDown,
  retryStrategy: GroupRetryStrategy,
}

const v1Fields = {
  ...common,
  doubleCheck: sharedFields.doubleCheck,
  useGlobalAlertSettings: Type.Boolean({ default: true, description: 'false: the `alertSettings` here' }),
  alertSettings: nullable(AlertSettings, { default: {} }),
  runParallel: Type.Boolean({ default: false, description: 'Its checks run in all locations at once' }),
}

const v2Fields = {
  ...common,
  doubleCheck: Type.Boolean({ default: false, deprecated: true, description: 'Use `retryStrategy`' }),
  useGlobalAlertSettings: nullable(Type.Boolean(), {
    default: null,
    description: 'null: the checks keep their own; true: the account’s; false: the `alertSettings` here',
  }),
  alertSettings: nullable(AlertSettings, { default: null }),
  runParallel: nullable(Type.Boolean(), {
    default: null,
    description: 'null: the checks keep their own; else all at once, or in turn',
  }),
}

const { useGlobalAlertSettings, runParallel } = v2Fields
const nullableInV2 = { useGlobalAlertSettings, runParallel }

const GroupFields = Type.Object(v2Fields)

/** What `check_groups.doc` holds, all defaults filled in. Secrets sealed: sealed-settings.ts. */
export type GroupDoc = Required<
  Omit<
    Static<typeof GroupFields>,
    'alertChannelSubscriptions' | 'apiCheckDefaults' | 'environmentVariables' | 'groupHealth'
  >
> & {
  apiCheckDefaults: ApiDefaults
  groupHealth: GroupHealthRule | null
  environmentVariables: Variable[] | null
}

const { alertChannelSubscriptions: _, ...plainFields } = v2Fields
const Items = Type.Array(Type.Object({ key: Type.String() }), { default: [] })

/** Values that are secret are sealed where they stand. */
const StoredGroup = Type.Object(
  {
    ...plainFields,
    environmentVariables: nullable(Items),
    apiCheckDefaults: Type.Object(
      {
        url: Type.String({ default: '' }),
        headers: Items,
        queryParameters: Items,
        assertions: Type.Array(ApiAssertion, { default: [] }),
        basicAuth: nullable(Type.Object({ username: Type.String() }), { default: null }),
      },
      { ...closed, default: {} },
    ),
  },
  closed,
)
export const groupDoc = storedDoc<typeof StoredGroup, GroupDoc>({ name: 'check group', schema: StoredGroup })

type Variable = { key: string; value: string; locked: boolean; secret?: boolean }
type ApiDefaults = {
  url: string
  headers: Variable[]
  queryParameters: Variable[]
  assertions: unknown[]
  basicAuth: Static<typeof BasicAuth> | null
}

/** A validated body, defaults filled in. */
type NewGroupDoc = GroupDoc & {
  alertChannelSubscriptions: Array<{ alertChannelId: number; activated: boolean }>
}

const creating = (fields: Record<string, TSchema>, title: string): TSchema =>
  Type.Object({ ...optional(fields), name: common.name }, { ...closed, title })
const changing = (fields: Record<string, TSchema>, title: string, required = {}): TSchema =>
  Type.Object({ ...changesOf(fields), ...required }, { ...closed, title })

// What v2 may have written is null where v1 writes no null: it can be sent back.
const changesInV1 = changing({ ...v1Fields, ...nullableInV2 }, 'CheckGroupChangesV1')

/** By the method of the write. */
export const groupBodies = {
  v1: {
    POST: creating(v1Fields, 'NewCheckGroupV1'),
    PUT: changesInV1,
    PATCH: changesInV1,
  },
  v2: {
    POST: creating(v2Fields, 'NewCheckGroup'),
    PUT: changing(v2Fields, 'CheckGroupReplacement', { name: common.name }),
    PATCH: changing(v2Fields, 'CheckGroupChanges'),
  },
}

export type CheckGroup = NewGroupDoc & {
  id: number
  created_at: string
  updated_at: string | null
  warnings?: CheckWarning[]
}

export const CheckGroup = Type.Unsafe<CheckGroup>(
  Type.Object(
    {
      id: Type.Integer(),
      ...v2Fields,
      created_at: DateTime,
      updated_at: nullable(DateTime),
      warnings: Type.Optional(
        Type.Array(CheckWarning, {
          description: 'Only in answers to writes: which of its scripts cannot be parsed',
        }),
      ),
    },
    { title: 'CheckGroup' },
  ),
)

export const GroupId = Type.Object({ id: Type.Integer({ minimum: 1, maximum: maxInt }) })
