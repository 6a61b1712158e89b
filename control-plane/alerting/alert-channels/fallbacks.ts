/** Which channel is told in the place of another one: never in a circle, and through so many at most. */

import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { ApiError, invalid, violation } from '../../platform/words/errors.ts'
import { channelDoc } from './channel-doc.ts'

export const mostFallbacks = 3

/** Held until the transaction ends: two that are changed at once would close a circle. */
const lockChannelsOfAccount = query('lock-channels-of-account', (k, p: { accountId: string }, engine) => {
  const all = k
    .selectFrom('alert_channels')
    .select(['id', 'doc'])
    .where('account_id', '=', p.accountId)
    .orderBy('id')
  return engine.rowLocks ? all.forUpdate() : all
})

type Wanted = { accountId: string; id: number | null; fallbackChannelId: number | null }

/** Call it before the channel itself is locked. `id` null: it is being made. @throws ApiError 400 */
export const requireFallback = async (
  trx: Db,
  { accountId, id, fallbackChannelId }: Wanted,
): Promise<void> => {
  if (fallbackChannelId === null) return
  const rows = await trx.all(lockChannelsOfAccount, { accountId })
  const fallbacks = new Map(rows.map((row) => [row.id, channelDoc.read(row.doc).fallbackChannelId]))
  const fault = faultOf(fallbacks, { id, fallbackChannelId })
  if (fault !== null) throw invalid([violation('fallbackChannelId', 'fallback', fault)])
}

/** By their ids. Pure. */
export const faultOf = (
  fallbacks: ReadonlyMap<number, number | null>,
  { id, fallbackChannelId }: { id: number | null; fallbackChannelId: number },
): string | null => {
  if (fallbackChannelId === id) return 'is the channel itself'
  if (!fallbacks.has(fallbackChannelId)) return 'is no channel of the account'
  const after = wayFrom(fallbacks, fallbackChannelId)
  if (id !== null && after.includes(id)) return `leads back to the channel: ${[id, ...after].join(' → ')}`
  return longestWayTo(fallbacks, id) + after.length > mostFallbacks
    ? `makes more than ${mostFallbacks} fallbacks in a row`
    : null
}

/** A channel and those behind it; one that is there already ends it. */
const wayFrom = (fallbacks: ReadonlyMap<number, number | null>, first: number): number[] => {
  const way: number[] = []
  for (let at: number | null = first; at !== null && !way.includes(at); at = fallbacks.get(at) ?? null)
    way.push(at)
  return way
}

/** How many fallbacks lead to it at most. */
const longestWayTo = (fallbacks: ReadonlyMap<number, number | null>, id: number | null): number => {
  if (id === null) return 0
  const places = [...fallbacks.keys()].map((one) => wayFrom(fallbacks, one).indexOf(id))
  return Math.max(0, ...places)
}

/** What could not be delivered to others would reach nobody without it. Call it before it is locked. @throws ApiError 409 */
export const requireNoFallbackTo = async (
  trx: Db,
  { id, accountId }: { id: number; accountId: string },
): Promise<void> => {
  const rows = await trx.all(lockChannelsOfAccount, { accountId })
  const users = rows.filter(({ doc }) => channelDoc.read(doc).fallbackChannelId === id)
  if (users.length === 0) return
  const named = users.map((one) => one.id).join(', ')
  throw new ApiError(409, `It is the fallback of ${users.length === 1 ? 'channel' : 'channels'} ${named}`)
}
