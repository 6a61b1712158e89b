/** Accounts as their members see them. */
import { Type } from 'typebox'
import { runtimeIds } from '../../../protocol/runtime.ts'
import { changesOf } from '../../platform/words/shapes/optional-fields.ts'
import { accountSettingsFields } from './account-doc.ts'
import { AccountAlertSettings } from './alert-settings.ts'

const closed = { additionalProperties: false }
const Uuid = Type.String({ format: 'uuid' })
const Name = Type.String({ minLength: 1, maxLength: 255 })
const RuntimeId = Type.Enum([...runtimeIds], { description: 'Runtime of checks that name none' })

const Addons = Type.Object({}, { description: 'Empty: nothing is sold separately', ...closed })

export const Account = Type.Object(
  {
    id: Uuid,
    name: Name,
    runtimeId: RuntimeId,
    plan: Type.Literal('SELF_HOSTED'),
    planDisplayName: Type.String(),
    addons: Addons,
    settings: Type.Object(accountSettingsFields, { title: 'AccountSettings' }),
    alertSettings: AccountAlertSettings,
    features: Type.Array(Type.String(), { description: 'Keys of the features among the entitlements' }),
  },
  { title: 'Account' },
)

/** Only what is sent changes; `alertSettings` is replaced as a whole, `settings` field by field. */
export const AccountChanges = Type.Object(
  {
    ...changesOf({ name: Name }),
    runtimeId: Type.Optional(RuntimeId),
    alertSettings: Type.Optional(AccountAlertSettings),
    settings: Type.Optional(
      Type.Object(
        {
          badgesEnabled: Type.Optional(Type.Boolean()),
          automaticAnalyses: Type.Optional(Type.Boolean()),
          secretsReadable: Type.Optional(Type.Boolean()),
        },
        { ...closed, title: 'AccountSettingsChanges' },
      ),
    ),
  },
  { ...closed, title: 'AccountChanges' },
)

export const Entitlements = Type.Object(
  {
    plan: Type.Literal('SELF_HOSTED'),
    planDisplayName: Type.String(),
    addons: Addons,
    locations: Type.Object(
      {
        all: Type.Array(
          Type.Object({
            id: Type.String({ description: 'What `locations` of checks and groups take' }),
            name: Type.String(),
            available: Type.Boolean({ description: 'A check may name it' }),
          }),
        ),
        maxPerCheck: Type.Integer({ minimum: 1 }),
      },
      { title: 'EntitledLocations' },
    ),
    entitlements: Type.Array(
      Type.Object({
        key: Type.String(),
        name: Type.String(),
        description: Type.String(),
        type: Type.Enum(['flag', 'metered'], { description: 'A feature, or something that is counted' }),
        enabled: Type.Boolean(),
        quantity: Type.Optional(
          Type.Integer({ minimum: 0, description: 'Of something that is counted; left out: no limit' }),
        ),
      }),
    ),
  },
  { title: 'Entitlements' },
)

/** Whose key it is. */
export const CurrentUser = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Of the user; of a service key its own' }),
    name: Type.String({
      description: 'Of a user without a name the mail address, of a service key that of the key',
    }),
    nickname: Type.String(),
    email: Type.Union([Type.String(), Type.Null()], { description: 'Null: a service key' }),
  },
  { title: 'CurrentUser' },
)
