/** SQL of the queues' history. */
import { query } from '../../platform/store/database/query.ts'

/** Due runs that wait for an agent, by private location; a location where none waits has one row with 0. */
export const measureQueues = query('measure-location-queues', (k, p: { now: number }) =>
  k
    .selectFrom('private_locations as l')
    .leftJoin('jobs as j', (join) =>
      join.onRef('j.location', '=', 'l.id').on('j.agent_id', 'is', null).on('j.due_at', '<=', p.now),
    )
    .select((at) => [
      'l.id as location_id',
      at.fn.count<number>('j.id').as('queue_size'),
      at.fn.min('j.due_at').as('oldest_due_at'),
    ])
    .groupBy('l.id'),
)

type Sample = { locationId: string; at: number; queueSize: number; oldestAgeMs: number | null }

/** Does nothing when another control plane was there first. */
export const insertSample = query('insert-location-sample', (k, p: Sample) =>
  k
    .insertInto('location_samples')
    .values({
      location_id: p.locationId,
      at: p.at,
      queue_size: p.queueSize,
      oldest_age_ms: p.oldestAgeMs,
    })
    .onConflict((conflict) => conflict.columns(['location_id', 'at']).doNothing()),
)

type Window = { locationId: string; from: number; to: number }

export const samplesOfLocation = query('samples-of-location', (k, p: Window) =>
  k
    .selectFrom('location_samples')
    .select(['at', 'queue_size', 'oldest_age_ms'])
    .where('location_id', '=', p.locationId)
    .where('at', '>=', p.from)
    .where('at', '<', p.to)
    .orderBy('at'),
)

/** The oldest ones, at most about `limit`. */
export const deleteOldSamples = query('delete-old-samples', (k, p: { before: number; limit: number }) =>
  k
    .deleteFrom('location_samples')
    .where('at', '<', p.before)
    .where(
      'at',
      'in',
      k
        .selectFrom('location_samples as o')
        .select('o.at')
        .where('o.at', '<', p.before)
        .orderBy('o.at')
        .limit(p.limit),
    ),
)

export const deleteSamplesOfLocation = query('delete-samples-of-location', (k, p: { locationId: string }) =>
  k.deleteFrom('location_samples').where('location_id', '=', p.locationId),
)
