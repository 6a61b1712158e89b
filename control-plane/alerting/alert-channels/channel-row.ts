/** A channel between its row and the API: the config is stored twice, sealed, and masked for the log of notifications. */

import type { Cipher } from '../../platform/services/secrets/cipher.ts'
import type { AlertChannelsTable } from '../../platform/store/database/tables/alert-channels.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { type Sight, seesLockedValues } from '../../platform/words/shapes/roles.ts'
import type { ChannelConfig, ChannelTypeName } from '../channels/channel-type.ts'
import { maskConfig, writersConfig } from '../channels/secrets.ts'
import { channelConfig, channelDoc } from './channel-doc.ts'
import type { AlertChannel, Flags, Subscription } from './schema.ts'

/** A sealed config opens only in its own row. */
export const contextOf = (channelId: number): string => `alert-channel ${channelId}`

export const openConfig = (
  cipher: Cipher,
  row: Pick<AlertChannelsTable, 'id' | 'sealed_config'>,
): ChannelConfig => channelConfig.read(cipher.decrypt(row.sealed_config, contextOf(row.id)))

type Content = { type: ChannelTypeName; config: ChannelConfig; flags: Flags }

/** The columns that follow from what was sent. */
export const contentColumns = (cipher: Cipher, channelId: number, { type, config, flags }: Content) => ({
  type,
  auto_subscribe: flags.autoSubscribe,
  doc: channelDoc.write({ ...flags, config: maskConfig(type, config) }),
  sealed_config: cipher.encrypt(channelConfig.write(config), contextOf(channelId)),
})

export const flagsOf = ({ doc }: Pick<AlertChannelsTable, 'doc'>): Flags => {
  const { config: _, ...flags } = channelDoc.read(doc)
  return flags
}

export type Viewer = Sight & { cipher: Cipher }

/** Addresses are shown to who could change them; the rest of the secrets to nobody who was not
 * given them (`seesSecrets`). */
export const shownConfig = (
  { cipher, role, seesSecrets = false }: Viewer,
  row: Pick<AlertChannelsTable, 'id' | 'type' | 'sealed_config'>,
): ChannelConfig => {
  const config = openConfig(cipher, row)
  if (seesSecrets) return config
  return (seesLockedValues(role) ? writersConfig : maskConfig)(row.type as ChannelTypeName, config)
}

export const serializeChannel = (
  viewer: Viewer,
  row: AlertChannelsTable,
  subscriptions: Subscription[],
): AlertChannel => ({
  ...flagsOf(row),
  id: row.id,
  type: row.type as ChannelTypeName,
  config: shownConfig(viewer, row),
  subscriptions,
  created_at: toIso(row.created_at),
  updated_at: toIsoOrNull(row.updated_at),
})
