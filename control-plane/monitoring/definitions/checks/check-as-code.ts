/** A check as the body that makes it: what can be said of a new one, as this one has it. Its id, times and results stay behind. Pure. */
import { Type } from 'typebox'
import type { CheckType } from '../../../../protocol/check-type.ts'
import { type Check, checkSchemas } from './schema.ts'

export const bodyOfCheck = (
  check: Check,
): { checkType: CheckType; name: string } & Record<string, unknown> => {
  const schema = checkSchemas[check.checkType].New
  const known = Type.IsObject(schema) ? Object.keys(schema.properties) : []
  const same = Object.fromEntries(
    Object.entries(check).filter(([name, value]) => known.includes(name) && value !== undefined),
  )
  return { checkType: check.checkType, ...same, name: check.name }
}
