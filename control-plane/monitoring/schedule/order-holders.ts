import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'

/** Locations with an agent that had orders for what was due then or later. */
const locationsHeld = query(
  'locations-with-orders',
  (k, p: { locations: readonly string[]; since: number }, engine) =>
    k
      .selectFrom('order_holders')
      .select('location_id')
      .distinct()
      .where('location_id', 'in', engine.textList(p.locations))
      .where('holds_until', '>', p.since),
)

/** Which of these locations' agents may have run by themselves what was due since then. */
export const locationsWithOrders = async (
  db: Db,
  locations: readonly string[],
  since: number,
): Promise<ReadonlySet<string>> => {
  if (locations.length === 0) return new Set()
  const held = await db.all(locationsHeld, { locations: [...new Set(locations)], since })
  return new Set(held.map(({ location_id }) => location_id))
}

/** Agents of a location that had orders for what was due since then. */
export const ordersOfLocation = query('orders-of-location', (k, p: { locationId: string; since: number }) =>
  k
    .selectFrom('order_holders')
    .select('agent_id')
    .where('location_id', '=', p.locationId)
    .where('holds_until', '>', p.since),
)
