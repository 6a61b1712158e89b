/**
 * A lease is a job's claim with an expiry and a fencing token (`fence`): an agent that lost its lease can finish, but its
 * report carries an old fence and is refused once somebody else has claimed the job.
 */

import type { Lease, RenewRequest } from '../../../protocol/agent-api.ts'
import type { Job } from '../../../protocol/job.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import { integer, text } from '../../platform/store/database/ddl.ts'
import type { Engine } from '../../platform/store/database/engines.ts'
import { query } from '../../platform/store/database/query.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import { blameLostAgent } from './lost-agent.ts'

/** Ids of agents are their own choice: the location is that of the key they come with. */
type HeldLeases = { leases: readonly HeldLease[]; location: string; agentId: string }
type HeldLease = { id: string; fence: number; state: NonNullable<JobsTable['run_state']> }

const leaseRows = (engine: Engine, leases: readonly HeldLease[]) =>
  engine.rowList(leases, { id: text, fence: integer, state: text }).$castTo<HeldLease>().as('r')

/**
 * A lease can be renewed while it is the agent's and the attempt may still be running: an agent that hangs past the
 * attempt's hard limit does not keep its job (`startedBefore`: now less a margin). That of a run that has finished can be also
 * when it has run out and nobody has taken the job since: its report would be accepted. Returns those that were.
 */
const renewHeldLeases = query(
  'renew-leases',
  (k, p: HeldLeases & { now: number; leaseExpiresAt: number; startedBefore: number }, engine) =>
    k
      .updateTable('jobs')
      .from(leaseRows(engine, p.leases))
      .set((set) => ({
        agent_id: p.agentId,
        claimed_at: set.fn.coalesce('jobs.claimed_at', set.val(p.now)),
        lease_expires_at: p.leaseExpiresAt,
        run_state: set.ref('r.state'),
      }))
      .whereRef('jobs.id', '=', 'r.id')
      .whereRef('jobs.fence', '=', 'r.fence')
      .where('jobs.location', '=', p.location)
      .where((where) =>
        where.or([
          where('jobs.agent_id', '=', p.agentId),
          where.and([where('jobs.agent_id', 'is', null), where('r.state', '=', 'finished')]),
        ]),
      )
      .where((where) =>
        where.or([
          where('r.state', '=', 'finished'),
          where(where('jobs.claimed_at', '+', where.ref('jobs.deadline_ms')), '>', p.startedBefore),
          where(where('jobs.run_at', '+', where.ref('jobs.deadline_ms')), '>', p.startedBefore),
        ]),
      )
      .returning('jobs.id'),
)

const releaseHeldLeases = query('release-leases', (k, p: HeldLeases, engine) =>
  k
    .updateTable('jobs')
    .from(leaseRows(engine, p.leases))
    .set({ agent_id: null, claimed_at: null, lease_expires_at: null, run_state: null })
    .whereRef('jobs.id', '=', 'r.id')
    .whereRef('jobs.fence', '=', 'r.fence')
    .where('jobs.location', '=', p.location)
    .where('jobs.agent_id', '=', p.agentId)
    .returning('jobs.location'),
)

/** What an agent holds and does not name: an answer that never reached it had given it that. */
const releaseUnnamed = query('release-unnamed', (k, p: LeaseHolder & { kept: readonly string[] }, engine) =>
  k
    .updateTable('jobs')
    .set({ agent_id: null, claimed_at: null, lease_expires_at: null, run_state: null })
    .where('agent_id', '=', p.agentId)
    .where('location', '=', p.location)
    .where('id', 'not in', engine.textList(p.kept))
    .returning('location'),
)

/** Everything an earlier life of an agent held. */
const releaseAgent = query('release-agent', (k, p: { agentId: string; location: string }) =>
  k
    .updateTable('jobs')
    .set({ agent_id: null, claimed_at: null, lease_expires_at: null, run_state: null })
    .where('agent_id', '=', p.agentId)
    .where('location', '=', p.location)
    .returning(['check_id', 'run_location']),
)

export const leaseMs = 15_000

/** How far past its hard limit an attempt may be before its agent counts as hung. */
const hungMarginMs = 60_000

/** The lease that a job was handed out with. */
export const leaseOf = ({ id, fence }: Job): Lease => ({ jobId: id, fence })

/** Who comes with leases: the location is that of its key, the id its own choice. */
type LeaseHolder = { location: string; agentId: string }

/** Renews what is still the agent's, with what it says of its runs, and returns the ids of what is not. */
export const renewLeases = async (
  app: App,
  holder: LeaseHolder,
  leases: RenewRequest['leases'],
): Promise<string[]> => {
  if (leases.length === 0) return []
  const now = app.clock.now()
  const until = { now, leaseExpiresAt: now + leaseMs, startedBefore: now - hungMarginMs }
  const renewed = await app.db.all(renewHeldLeases, { leases: heldOf(leases), ...holder, ...until })
  const renewedIds = new Set(renewed.map(({ id }) => id))
  return leases.map(({ jobId }) => jobId).filter((id) => !renewedIds.has(id))
}

/** Gives jobs back at once; returns how many were still the agent's. */
export const releaseLeases = async (
  app: App & HasWakeups,
  holder: LeaseHolder,
  leases: Lease[],
): Promise<number> => {
  if (leases.length === 0) return 0
  return offered(app, await app.db.all(releaseHeldLeases, { leases: heldOf(leases), ...holder }))
}

/** Gives back what the agent holds beyond `kept`. */
export const releaseOthers = async (
  app: App & HasWakeups,
  holder: LeaseHolder,
  kept: readonly Lease[],
): Promise<number> =>
  offered(app, await app.db.all(releaseUnnamed, { kept: kept.map(({ jobId }) => jobId), ...holder }))

const offered = ({ wakeups }: HasWakeups, released: ReadonlyArray<{ location: string }>): number => {
  for (const location of new Set(released.map(({ location }) => location))) wakeups.wake(location)
  return released.length
}

/** In the order in which reports lock jobs, as far as the engine keeps to it. */
const heldOf = (leases: RenewRequest['leases']): HeldLease[] =>
  leases
    .map(
      ({ jobId: id, fence, finished }): HeldLease => ({
        id,
        fence,
        state: finished ? 'finished' : 'running',
      }),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1))

/** An agent that starts anew holds nothing: what its earlier life had claimed is offered again at once. */
export const releaseEarlierLife = async (
  app: App & HasWakeups,
  agentId: string,
  location: string,
): Promise<void> => {
  const now = app.clock.now()
  const released = await app.db.transaction(async (trx) => {
    const jobs = await trx.all(releaseAgent, { agentId, location })
    await blameLostAgent(trx, jobs, now - leaseMs)
    return jobs.length
  })
  if (released > 0) app.wakeups.wake(location)
}
