import { type Static, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'

/** What `alert_notifications.doc` holds: the channel's config then, its secrets masked, and what the receiver answered. */
const NotificationDoc = Type.Object(
  {
    alertConfig: Type.Record(Type.String(), Type.Unknown()),
    notificationResult: nullable(Type.String(), { default: null }),
    /** The channel that was told instead, and the one that this was told instead of. */
    toldInstead: Type.Optional(Type.Integer()),
    insteadOf: Type.Optional(Type.Integer()),
    /** Of several receivers, those that have it already; only until the next try. */
    delivered: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
)
export type NotificationDoc = Static<typeof NotificationDoc>

export const notificationDoc = storedDoc({ name: 'notification', schema: NotificationDoc })
