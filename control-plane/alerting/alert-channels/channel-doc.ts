/** A channel is stored twice: sealed, as it is sent with, and with its secrets masked, as its notifications are logged. */
import { Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { flags } from './schema.ts'

/** Depends on the type (alerting/channels). */
const Config = Type.Record(Type.String(), Type.Unknown())

/** What `alert_channels.doc` holds. */
export const channelDoc = storedDoc({
  name: 'alert channel',
  schema: Type.Object({ ...flags, config: Config }, { additionalProperties: false }),
})

/** What `alert_channels.sealed_config` holds, opened. */
export const channelConfig = storedDoc({ name: 'config of an alert channel', schema: Config })
