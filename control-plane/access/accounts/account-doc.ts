/** What an account's `doc` holds, with the defaults of everything in it. */
import { type Static, Type } from 'typebox'
import { runtimeIds } from '../../../protocol/runtime.ts'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { AccountAlertSettings } from './alert-settings.ts'

export const accountSettingsFields = {
  badgesEnabled: Type.Boolean({
    default: false,
    description: 'Badges of checks and groups may be read without a key',
  }),
  automaticAnalyses: Type.Boolean({
    default: true,
    description: 'A new error group gets a root cause analysis without being asked for one',
  }),
  secretsReadable: Type.Boolean({
    default: false,
    description:
      'Keys that may write read secret variables and secrets of channels whole, as clients need that compare them with files; ' +
      'nobody in a browser does. Counts within five seconds',
  }),
}

const RuntimeId = Type.Enum([...runtimeIds], { description: 'Runtime of checks that name none' })

const closed = { additionalProperties: false }

const AccountDoc = Type.Object(
  {
    runtimeId: { ...RuntimeId, default: runtimeIds[0] },
    alertSettings: { ...AccountAlertSettings, default: {} },
    settings: Type.Object(accountSettingsFields, { ...closed, default: {} }),
  },
  closed,
)
export type AccountDoc = Static<typeof AccountDoc>

export const accountDoc = storedDoc({ name: 'account', schema: AccountDoc })

/** What is on from the start. Accounts from before it was there stay as they are. */
export const newAccountDoc = (): string =>
  accountDoc.write({ ...accountDoc.read('{}'), alertSettings: { stormBrake: { enabled: true } } })
