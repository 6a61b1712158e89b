import { query } from '../../platform/store/database/query.ts'
import type { ProgramKey } from '../../platform/web/http/route.ts'

type AgentsLocation = { locationId: string; accountId: string | null }

const findLocationKey = query('find-location-key', (k, p: { hash: string }) =>
  k
    .selectFrom('location_keys')
    .select(['id', 'location_id', 'account_id', 'hash'])
    .where('hash', '=', p.hash),
)

/** The key with which the agents of a location report, renew and poll: all of them have the same one. */
export const agentKey: ProgramKey<AgentsLocation> = {
  name: 'agent',
  description: 'Key of a location: pl_ and 32 hex digits',
  pattern: /^pl_[0-9a-f]{32}$/,
  rateLimit: { requests: 60_000, seconds: 60 },
  find: async (app, hash) => {
    const row = await app.db.get(findLocationKey, { hash })
    if (row === undefined) return undefined
    const { id: keyId, location_id: locationId, account_id: accountId } = row
    return { keyId, hash: row.hash, countedWith: locationId, holder: { locationId, accountId } }
  },
}
