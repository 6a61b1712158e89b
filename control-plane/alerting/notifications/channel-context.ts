/** What a channel sends with: its config in clear, the variables of account and group, the analysis of the error. */

import { languageOfMember, languagesOfMembers } from '../../access/members/queries.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { createHider, hideSecrets } from '../../platform/services/secrets/hide-secrets.ts'
import { openConfig } from '../alert-channels/channel-row.ts'
import { hiddenValues, variablesForChannel } from '../alert-channels/channel-variables.ts'
import { findChannel } from '../alert-channels/queries.ts'
import type { ChannelConfig, ChannelTypeName } from '../channels/channel-type.ts'
import { DeliveryError } from '../channels/delivery.ts'
import { channels } from '../channels/index.ts'
import { type HasProviders, secretsOfProviders } from '../channels/providers.ts'
import { fillSecrets } from '../channels/secret-templates.ts'
import { secretTexts as secretsOfConfig } from '../channels/secret-texts.ts'
import type { HasGroupVariables } from '../templates/asked-of-others.ts'
import { textFiller } from '../templates/fill-texts.ts'

export type ChannelContext = {
  type: ChannelTypeName
  config: ChannelConfig
  variables: ReadonlyMap<string, string>
  /** Of the member of the account who has the address, or of all of them where they read it together; null: nobody's, or none that they have chosen. */
  language: string | null
  /** Takes out of a text what must not be shown: the channel's secrets, the operator's, and these. */
  hide(text: string, more?: readonly string[]): string
}

export type ContextKey = { accountId: string; channelId: number; groupId: number | null }

/** Reads each context once, for notifications that are sent at the same moment. */
export const createContexts = (
  app: App & HasCipher & HasProviders & HasGroupVariables & HasRandomBytes,
): ((asked: ContextKey) => Promise<ChannelContext>) => {
  const known = new Map<string, Promise<ChannelContext>>()
  return (asked) => {
    const key = `${asked.accountId} ${asked.channelId} ${asked.groupId}`
    const context = known.get(key) ?? channelContext(app, asked)
    known.set(key, context)
    return context
  }
}

/** @throws DeliveryError when the channel is gone */
export const channelContext = async (
  app: App & HasCipher & HasProviders & HasGroupVariables & HasRandomBytes,
  { accountId, channelId, groupId }: ContextKey,
): Promise<ChannelContext> => {
  const row = await app.db.get(findChannel, { id: channelId, accountId })
  if (!row) throw new DeliveryError('The alert channel was deleted', { permanent: true })
  const type = row.type as ChannelTypeName
  const config = openConfig(app.cipher, row)
  const isTemplated = JSON.stringify(config).includes('{{')
  const known = isTemplated ? await variablesForChannel(app, { accountId, channelId, groupId }) : []
  const variables = new Map(known.map(({ key, value }) => [key, value]))
  const fillTexts = textFiller(app, { key: accountId })
  const filled =
    type === 'WEBHOOK' || !isTemplated
      ? config
      : await fillSecrets({ type, config }, { variables, fillTexts })
  const secrets = [
    ...secretsOfConfig(filled, channels[type].secretsOf(filled)),
    ...hiddenValues(known),
    ...secretsOfProviders(app.config.providers),
  ]
  const hide = createHider(secrets)
  const isNews = (secret: string): boolean => !secrets.includes(secret)
  return {
    type,
    config: filled,
    variables,
    language: await languageOf(app, { accountId, type, config: filled }),
    hide: (text, more = []) => (!more.some(isNews) ? hide(text) : hideSecrets(text, [...secrets, ...more])),
  }
}

const languageOf = async (
  app: App,
  { accountId, type, config }: { accountId: string; type: ChannelTypeName; config: ChannelConfig },
): Promise<string | null> => {
  const { addressOf, isReadByAll } = channels[type]
  if (isReadByAll?.(config)) {
    const [only, other] = await app.db.all(languagesOfMembers, { accountId })
    return other === undefined ? (only?.language ?? null) : null
  }
  const address = addressOf?.(config)
  if (address === undefined) return null
  const reader = await app.db.get(languageOfMember, { accountId, email: address.toLowerCase() })
  return reader?.language ?? null
}
