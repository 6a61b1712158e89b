/** SQL of what waits in the queues now. No statement reads more rows than its limit. */
import type { JobQueue } from '../../../protocol/check-type.ts'
import { query } from '../../platform/database/query.ts'

export const jobQueues: readonly JobQueue[] = ['uptime', 'main']

type LocationQueue = { location: string; queue: string; now: number; limit: number }

/** Jobs of one queue that are due and wait, counted up to `limit`. */
export const countWaitingJobs = query('count-waiting-jobs', (k, p: LocationQueue) =>
  k
    .selectFrom(
      k
        .selectFrom('jobs')
        .select('run_at')
        .where('location', '=', p.location)
        .where('queue', '=', p.queue)
        .where('agent_id', 'is', null)
        .where('run_at', '<=', p.now)
        .limit(p.limit)
        .as('j'),
    )
    .select((at) => at.fn.countAll<number>().as('jobs')),
)

/** Jobs of one queue that agents hold and that are due: those that run. Agents hold few, as they have slots. */
export const countRunningJobs = query('count-running-jobs', (k, p: LocationQueue) =>
  k
    .selectFrom(
      k
        .selectFrom('jobs')
        .select('run_at')
        .where('agent_id', 'is not', null)
        .where('location', '=', p.location)
        .where('queue', '=', p.queue)
        .where('run_at', '<=', p.now)
        .limit(p.limit)
        .as('j'),
    )
    .select((at) => at.fn.countAll<number>().as('jobs')),
)

/** Of all locations, in the order of the index that claims use. */
export const waitingByQueue = query('waiting-by-queue', (k, p: { now: number; limit: number }) =>
  k
    .selectFrom(
      k
        .selectFrom('jobs')
        .select(['location', 'queue', 'run_at'])
        .where('agent_id', 'is', null)
        .where('run_at', '<=', p.now)
        .orderBy('location')
        .orderBy('queue')
        .orderBy('run_at')
        .limit(p.limit)
        .as('j'),
    )
    .select((at) => [
      'location',
      'queue',
      at.fn.countAll<number>().as('jobs'),
      at.fn.min('run_at').as('oldest_at'),
    ])
    .groupBy(['location', 'queue']),
)

export const agentsByLocation = query('agents-by-location', (k, p: { since: number }) =>
  k
    .selectFrom('agents')
    .select((at) => ['location_id', at.fn.countAll<number>().as('agents')])
    .where('last_seen_at', '>=', p.since)
    .groupBy('location_id'),
)

/** Oldest first. */
export const firstLocations = query('first-private-locations', (k, p: { limit: number }) =>
  k.selectFrom('private_locations').select(['id', 'slug']).orderBy('created_at').orderBy('id').limit(p.limit),
)

/** Public locations that agents have a key for. */
export const servedPublicLocations = query('served-public-locations', (k, p: { limit: number }) =>
  k
    .selectFrom('location_keys')
    .select('location_id')
    .distinct()
    .where('account_id', 'is', null)
    .orderBy('location_id')
    .limit(p.limit),
)

/** The due time that is planned next, over all checks. */
export const nextPlannedAt = query('next-planned-at', (k, _: Record<string, never>) =>
  k.selectFrom('schedules').select('next_at').orderBy('next_at').limit(1),
)
