/** What an account's `doc` holds: the defaults of everything in it. A field that an older version did not know is filled in. */
import { type Static, Type } from 'typebox'
import { runtimeIds } from '../../../protocol/runtime.ts'
import { compile } from '../../../protocol/validate.ts'
import { AlertSettings } from '../../platform/shapes/alert-settings.ts'

export const accountSettingsFields = {
  badgesEnabled: Type.Boolean({
    default: false,
    description: 'Badges of checks and groups may be read without a key',
  }),
  automaticAnalyses: Type.Boolean({
    default: false,
    description: 'A new error group gets a root cause analysis without being asked for one',
  }),
}

const RuntimeId = Type.Enum([...runtimeIds], { description: 'Runtime of checks that name none' })

export const AccountDoc = Type.Object({
  runtimeId: { ...RuntimeId, default: runtimeIds[0] },
  alertSettings: { ...AlertSettings, default: {} },
  settings: Type.Object(accountSettingsFields, { default: {} }),
})
export type AccountDoc = Static<typeof AccountDoc>

const validate = compile(AccountDoc)

/** The doc as stored, all defaults filled in. */
export const readAccountDoc = (doc: string): AccountDoc => {
  const checked = validate(JSON.parse(doc))
  if (!checked.ok)
    throw new Error(`The doc of an account is not valid: ${JSON.stringify(checked.violations)}`)
  return checked.value
}
