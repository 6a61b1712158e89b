import type { HasGroupVariables } from '../../../alerting/templates/asked-of-others.ts'
import { groupContext, openSettings } from '../checks/sealed-settings.ts'
import { groupsById } from './queries.ts'
import { groupDoc } from './schema.ts'

/** The environment variables of a group, in clear; none when the group is gone. */
export const variablesOfGroup: HasGroupVariables['lookups']['variablesOfGroup'] = async (
  app,
  { accountId, groupId },
) => {
  const [group] = await groupsById(app.db, [accountId], [groupId])
  if (!group) return []
  const seal = { cipher: app.cipher, context: groupContext(group.id) }
  const { environmentVariables } = openSettings(groupDoc.read(group.doc), seal)
  return (environmentVariables ?? []).map(({ key, value, secret, locked }) => ({
    key,
    value,
    isHidden: Boolean(secret || locked),
  }))
}
