/** SQL of the queues' history. */
import { sql } from 'kysely'
import { query } from '../../platform/store/database/query.ts'

/** A run that nobody has taken for so long is late; of short periods half of one, since then it is soon missed. */
export const lateMs = 30_000

/** Due runs that wait for an agent, by private location; a location where none waits has one row with 0. */
export const measureQueues = query('measure-location-queues', (k, p: { now: number; lateBefore: number }) =>
  k
    .selectFrom('private_locations as l')
    .leftJoin('jobs as j', (join) =>
      join.onRef('j.location', '=', 'l.id').on('j.agent_id', 'is', null).on('j.due_at', '<=', p.now),
    )
    .select((at) => [
      'l.id as location_id',
      at.fn.count<number>('j.id').as('queue_size'),
      at.fn.min('j.due_at').as('oldest_due_at'),
      at.fn
        .count<number>(
          at
            .case()
            .when('j.run_at', '<=', p.lateBefore)
            .then(1)
            .when(sql<boolean>`j.run_at + j.period_ms / 2 <= ${p.now}`)
            .then(1)
            .end(),
        )
        .as('late_jobs'),
    ])
    .groupBy('l.id'),
)

/** What is due and waits in a location, by what it takes to run it. */
export const lateJobKinds = query('late-job-kinds', (k, p: { locationId: string; now: number }) =>
  k
    .selectFrom('jobs')
    .select(['check_type', 'runtime_id', 'run_location'])
    .distinct()
    .where('location', '=', p.locationId)
    .where('agent_id', 'is', null)
    .where('run_at', '<=', p.now)
    .limit(100),
)

type Sample = {
  locationId: string
  at: number
  queueSize: number
  oldestAgeMs: number | null
  lateJobs: number
}

/** Does nothing when another control plane was there first. */
export const insertSample = query('insert-location-sample', (k, p: Sample) =>
  k
    .insertInto('location_samples')
    .values({
      location_id: p.locationId,
      at: p.at,
      queue_size: p.queueSize,
      oldest_age_ms: p.oldestAgeMs,
      late_jobs: p.lateJobs,
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
