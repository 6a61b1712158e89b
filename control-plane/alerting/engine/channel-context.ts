/** What a channel sends with: its config in clear, the variables of account and group, the analysis of the error. */

import { variablesOfAccount } from '../../access/variables/queries.ts'
import { openValue } from '../../access/variables/sealed-value.ts'
import type { App } from '../../platform/app.ts'
import type { ClearVariable } from '../../platform/lookups.ts'
import { secretsOfProviders } from '../../platform/providers.ts'
import { createHider } from '../../platform/secrets/hide-secrets.ts'
import { openConfig } from '../alert-channels/channel-row.ts'
import { findChannel } from '../alert-channels/queries.ts'
import { channelsOfSubject } from '../alert-channels/subscription-queries.ts'
import type { ChannelConfig, ChannelTypeName } from '../channels/channel-type.ts'
import { DeliveryError } from '../channels/delivery.ts'
import { channels } from '../channels/index.ts'
import { render } from '../templates/template.ts'

export type ChannelContext = {
  type: ChannelTypeName
  config: ChannelConfig
  variables: ReadonlyMap<string, string>
  /** Takes out of a text what must not be shown: the channel's secrets and the operator's. */
  hide(text: string): string
}

export type Asked = { accountId: string; channelId: number; groupId: number | null }

/** Reads each context once, for notifications that are sent at the same moment. */
export const createContexts = (app: App): ((asked: Asked) => Promise<ChannelContext>) => {
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
  app: App,
  { accountId, channelId, groupId }: Asked,
): Promise<ChannelContext> => {
  const row = await app.db.get(findChannel, { id: channelId, accountId })
  if (!row) throw new DeliveryError('The alert channel was deleted', { permanent: true })
  const type = row.type as ChannelTypeName
  const config = openConfig(app.cipher, row)
  const isTemplated = JSON.stringify(config).includes('{{')
  const known = isTemplated ? await variablesFor(app, { accountId, channelId, groupId }) : []
  const variables = new Map(known.map(({ key, value }) => [key, value]))
  const filled = type === 'WEBHOOK' || !isTemplated ? config : fillSecrets(app, { type, config, variables })
  const secrets = [...secretsIn(type, filled), ...hidden(known), ...secretsOfProviders(app.config.providers)]
  return { type, config: filled, variables, hide: createHider(secrets) }
}

const hidden = (variables: ClearVariable[]): string[] =>
  variables.filter(({ isHidden }) => isHidden).map(({ value }) => value)

/** The group's over the account's; a group's only where the group itself subscribes to the channel. */
const variablesFor = async (app: App, { accountId, channelId, groupId }: Asked): Promise<ClearVariable[]> => {
  const ofAccount = (await app.db.all(variablesOfAccount, { accountId })).map((row) => ({
    key: row.key,
    value: openValue(app.cipher, row),
    isHidden: row.secret === 1 || row.locked === 1,
  }))
  if (groupId === null) return ofAccount
  const subscribed = await app.db.all(channelsOfSubject, { accountId, subject: `group:${groupId}` })
  if (!subscribed.some(({ channel_id, activated }) => channel_id === channelId && activated === 1))
    return ofAccount
  return [...ofAccount, ...(await app.lookups.variablesOfGroup(app, { accountId, groupId }))]
}

type Filling = Pick<ChannelContext, 'type' | 'config' | 'variables'>

/** Keys and addresses of other types than webhooks may name a variable instead of holding the secret. */
const fillSecrets = (app: App, { type, config, variables }: Filling): ChannelConfig => {
  const world = { now: app.clock.now(), randomBytes: app.randomBytes }
  const filled = { ...config }
  for (const { path } of channels[type].secretsOf(config)) {
    const [field] = path
    const text = field === undefined ? undefined : config[field]
    if (field !== undefined && typeof text === 'string')
      filled[field] = render(text, Object.fromEntries(variables), { encode: (value) => value, world })
  }
  return filled
}

const secretsIn = (type: ChannelTypeName, config: ChannelConfig): string[] =>
  channels[type].secretsOf(config).flatMap(({ path, mask }) => {
    const value = path.reduce<unknown>(
      (node, key) => (node as Record<string | number, unknown>)?.[key],
      config,
    )
    return mask === null || typeof value !== 'string' ? [] : [value]
  })
