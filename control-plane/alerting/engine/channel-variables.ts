/** The variables that a channel's templates may name. */
import { variablesOfAccount } from '../../access/variables/queries.ts'
import { openValue } from '../../access/variables/sealed-value.ts'
import { groupsById } from '../../monitoring/check-groups/queries.ts'
import type { GroupDoc } from '../../monitoring/check-groups/schema.ts'
import type { App } from '../../platform/app.ts'
import type { Db } from '../../platform/database/db.ts'
import type { Cipher } from '../../platform/secrets/cipher.ts'
import { groupContext, openSettings } from '../../platform/secrets/sealed-settings.ts'
import { channelsOfSubject } from '../alert-channels/subscription-queries.ts'

export type Variable = { key: string; value: string; isHidden: boolean }

export const hiddenValues = (variables: readonly Variable[]): string[] =>
  variables.filter(({ isHidden }) => isHidden).map(({ value }) => value)

/** In clear. */
export const variablesInClear = async (db: Db, cipher: Cipher, accountId: string): Promise<Variable[]> =>
  (await db.all(variablesOfAccount, { accountId })).map((row) => ({
    key: row.key,
    value: openValue(cipher, row),
    isHidden: row.secret === 1 || row.locked === 1,
  }))

type Asking = { accountId: string; channelId: number; groupId: number | null }

/** The group's over the account's; a group's only where the group itself subscribes to the channel. */
export const variablesForChannel = async (
  app: App,
  { accountId, channelId, groupId }: Asking,
): Promise<Variable[]> => {
  const ofAccount = await variablesInClear(app.db, app.cipher, accountId)
  if (groupId === null) return ofAccount
  const subscribed = await app.db.all(channelsOfSubject, { accountId, subject: `group:${groupId}` })
  if (!subscribed.some(({ channel_id, activated }) => channel_id === channelId && activated === 1))
    return ofAccount
  const [group] = await groupsById(app.db, [accountId], [groupId])
  if (!group) return ofAccount
  const seal = { cipher: app.cipher, context: groupContext(group.id) }
  const { environmentVariables } = openSettings(JSON.parse(group.doc) as GroupDoc, seal)
  const ofGroup = (environmentVariables ?? []).map(({ key, value, secret, locked }) => ({
    key,
    value,
    isHidden: Boolean(secret || locked),
  }))
  return [...ofAccount, ...ofGroup]
}
