/** SQL of what waits in the queues now. No statement reads more rows than its limit. */
import type { JobQueue } from '../../../protocol/check-type.ts'
import { query } from '../../platform/store/database/query.ts'

export const jobQueues: readonly JobQueue[] = ['uptime', 'main']

/** A row of SQLite costs two microseconds here, since the index does not hold whose job it is: a few milliseconds at most. */
export const maxCounted = 2000
const maxHeld = 1000
const maxHeldByAll = 5000

type LocationQueue = { location: string; queue: string; now: number }

/** Jobs of one queue that are due and wait, up to `maxCounted`, and since when the first one does. */
export const waitingInQueue = query('waiting-in-queue', (k, p: LocationQueue) =>
  k
    .selectFrom(
      k
        .selectFrom('jobs')
        .select('run_at')
        .where('location', '=', p.location)
        .where('queue', '=', p.queue)
        .where('agent_id', 'is', null)
        .where('run_at', '<=', p.now)
        .orderBy('run_at')
        .limit(maxCounted)
        .as('j'),
    )
    .select((at) => [at.fn.countAll<number>().as('jobs'), at.fn.min('run_at').as('oldest_at')]),
)

/** Jobs of one queue that run: due, and with an agent. Agents hold few beyond those, which are due within seconds. */
export const runningInQueue = query('running-in-queue', (k, p: LocationQueue) =>
  k
    .selectFrom(
      k
        .selectFrom('jobs')
        .select(['location', 'queue', 'run_at'])
        .where('agent_id', 'is not', null)
        .orderBy('lease_expires_at')
        .limit(maxHeld)
        .as('j'),
    )
    .select((at) => at.fn.countAll<number>().as('jobs'))
    .where('location', '=', p.location)
    .where('queue', '=', p.queue)
    .where('run_at', '<=', p.now),
)

/** The same of all locations at once. */
export const runningByQueue = query('running-by-queue', (k, p: { now: number }) =>
  k
    .selectFrom(
      k
        .selectFrom('jobs')
        .select(['location', 'queue', 'run_at'])
        .where('agent_id', 'is not', null)
        .orderBy('lease_expires_at')
        .limit(maxHeldByAll)
        .as('j'),
    )
    .select((at) => ['location', 'queue', at.fn.countAll<number>().as('jobs')])
    .where('run_at', '<=', p.now)
    .groupBy(['location', 'queue']),
)

/** The location behind another, in the order of their ids, in which a job waits: due, or planned ahead. */
export const nextWaitingLocation = query('next-waiting-location', (k, p: { after: string }) =>
  k
    .selectFrom('jobs')
    .select('location')
    .where('agent_id', 'is', null)
    .where('location', '>', p.after)
    .orderBy('location')
    .limit(1),
)

export const agentsByLocation = query('agents-by-location', (k, p: { since: number }) =>
  k
    .selectFrom('agents')
    .select((at) => ['location_id', 'version', at.fn.countAll<number>().as('agents')])
    .where('last_seen_at', '>=', p.since)
    .groupBy(['location_id', 'version']),
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
