/** Accounts as their members see them. */
import { Type } from 'typebox'
import { runtimeIds } from '../../../protocol/runtime.ts'
import { changesOf } from '../../platform/words/shapes/optional-fields.ts'
import { accountSettingsFields } from './account-doc.ts'
import { AlertSettings } from './alert-settings.ts'

const closed = { additionalProperties: false }
const Uuid = Type.String({ format: 'uuid' })
const Name = Type.String({ minLength: 1, maxLength: 255 })
const RuntimeId = Type.Enum([...runtimeIds], { description: 'Runtime of checks that name none' })

export const Account = Type.Object(
  {
    id: Uuid,
    name: Name,
    runtimeId: RuntimeId,
    plan: Type.Literal('SELF_HOSTED'),
    planDisplayName: Type.String(),
    addons: Type.Object({}, { description: 'Empty: nothing is sold separately', ...closed }),
    settings: Type.Object(accountSettingsFields, { title: 'AccountSettings' }),
    alertSettings: AlertSettings,
    features: Type.Array(Type.String(), { description: 'Keys of the features among the entitlements' }),
  },
  { title: 'Account' },
)

/** Only what is sent changes; `alertSettings` is replaced as a whole, `settings` field by field. */
export const AccountChanges = Type.Object(
  {
    ...changesOf({ name: Name }),
    runtimeId: Type.Optional(RuntimeId),
    alertSettings: Type.Optional(AlertSettings),
    settings: Type.Optional(
      Type.Object(
        { badgesEnabled: Type.Optional(Type.Boolean()), automaticAnalyses: Type.Optional(Type.Boolean()) },
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
    entitlements: Type.Array(
      Type.Object({
        key: Type.String(),
        name: Type.String(),
        type: Type.Enum(['FEATURE', 'LIMIT']),
        enabled: Type.Boolean(),
        quantity: Type.Unsafe<number | null>({
          type: ['integer', 'null'],
          description: 'Of a LIMIT; null: no limit',
        }),
      }),
    ),
  },
  { title: 'Entitlements' },
)
