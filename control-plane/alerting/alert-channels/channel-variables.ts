/** The variables that a channel's templates may name. */
import { type ClearVariable, readVariables } from '../../access/variables/sealed-value.ts'
import type { App } from '../../platform/app/app.ts'
import type { Cipher, HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { HasGroupVariables } from '../templates/asked-of-others.ts'
import { channelsOfSubject } from './subscription-queries.ts'

export const hiddenValues = (variables: readonly ClearVariable[]): string[] =>
  variables.filter(({ isHidden }) => isHidden).map(({ value }) => value)

/** In clear. */
export const variablesInClear = async (db: Db, cipher: Cipher, accountId: string): Promise<ClearVariable[]> =>
  (await readVariables(db, cipher, [accountId])).get(accountId) ?? []

type ChannelOfGroup = { accountId: string; channelId: number; groupId: number | null }

/** The group's over the account's; a group's only where the group itself subscribes to the channel. */
export const variablesForChannel = async (
  app: App & HasCipher & HasGroupVariables,
  { accountId, channelId, groupId }: ChannelOfGroup,
): Promise<ClearVariable[]> => {
  const ofAccount = await variablesInClear(app.db, app.cipher, accountId)
  if (groupId === null) return ofAccount
  const subscribed = await app.db.all(channelsOfSubject, { accountId, subject: `group:${groupId}` })
  if (!subscribed.some(({ channel_id, activated }) => channel_id === channelId && activated)) return ofAccount
  return [...ofAccount, ...(await app.lookups.variablesOfGroup(app, { accountId, groupId }))]
}
