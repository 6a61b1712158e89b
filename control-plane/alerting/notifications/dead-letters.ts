/**
 * A channel whose provider the operator has not set up sends nothing, whatever it is told of. That is one fault, and one
 * notification that failed stands for it: the latest, which can be sent again once there is a provider.
 */
import type { Db } from '../../platform/store/database/db.ts'
import { lockChannel } from '../alert-channels/queries.ts'
import { notificationDoc } from './notification-doc.ts'
import {
  type DeliveryOutcome,
  deleteDeadLetter,
  latestOfChannel,
  settleNotification,
} from './outbox-queries.ts'

/** Earlier ones are gone already: these came at the same time. */
const maxAtOnce = 50

type Channel = { id: number; accountId: string }

/** Ends a claim as `settleNotification` does, and removes what failed of the same fault before. */
export const settleDeadLetter = async (
  trx: Db,
  channel: Channel,
  outcome: DeliveryOutcome,
): Promise<number> => {
  // Of two that fail at the same time, the later one has to see the other.
  await trx.get(lockChannel, channel)
  const settled = await trx.run(settleNotification, outcome)
  const fault = notificationDoc.read(outcome.doc).notificationResult
  const latest = await trx.all(latestOfChannel, { channelId: channel.id, limit: maxAtOnce })
  const letters = latest.filter(
    ({ status, doc }) => status === 'FAILURE' && notificationDoc.read(doc).notificationResult === fault,
  )
  for (const { id } of letters.slice(1)) await trx.run(deleteDeadLetter, { id })
  return settled
}
