import type { Db } from '../../platform/store/database/db.ts'
import { type AwaitedRun, awaitRuns } from './awaited-runs.ts'
import { recordMissedRanges } from './missed-runs.ts'
import { locationsWithOrders } from './order-holders.ts'

/**
 * What nobody was told to run: missed, unless agents of its location had standing orders and may have run it. Returns how many due times
 * were recorded as missed.
 */
export const missOrAwait = async (trx: Db, runs: readonly AwaitedRun[]): Promise<number> => {
  if (runs.length === 0) return 0
  const since = runs.reduce((min, { firstDueAt }) => Math.min(min, firstDueAt), Number.POSITIVE_INFINITY)
  const held = await locationsWithOrders(
    trx,
    runs.map(({ location }) => location.id),
    since,
  )
  const missed = runs.filter(({ location }) => !held.has(location.id))
  await recordMissedRanges(trx, missed)
  await awaitRuns(
    trx,
    runs.filter(({ location }) => held.has(location.id)),
  )
  return missed.reduce((sum, { count }) => sum + count, 0)
}
