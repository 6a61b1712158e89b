import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { channelDoc } from './channel-doc.ts'

const channelsOfAccounts = query('channels-of-accounts', (k, p: { accountIds: readonly string[] }, engine) =>
  k
    .selectFrom('alert_channels')
    .select(['account_id', 'doc'])
    .where('account_id', 'in', engine.textList(p.accountIds)),
)

/** With how many days left a certificate is alerted about at the earliest, by account; none where no channel wants to know. */
export const longestExpiryThresholds = async (
  db: Db,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const longest = new Map<string, number>()
  for (const { account_id, doc } of await db.all(channelsOfAccounts, { accountIds })) {
    const { sslExpiry, sslExpiryThreshold } = channelDoc.read(doc)
    if (sslExpiry) longest.set(account_id, Math.max(longest.get(account_id) ?? 0, sslExpiryThreshold))
  }
  return longest
}
