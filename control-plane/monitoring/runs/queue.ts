/**
 * Claims, renewals and releases. A lease is a job's claim with an expiry and a fencing token (`fence`): an agent that
 * lost its lease can finish, but its report carries an old fence and is refused once somebody else has claimed the job.
 */

import type { HasCipher } from '../../platform/doors/secrets/cipher.ts'
import type { HasWakeups } from '../../platform/doors/clock/wakeups.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import type { ClaimRequest, Lease } from '../../../protocol/agent-api.ts'
import type { Job } from '../../../protocol/job.ts'
import type { App } from '../../platform/app/app.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import { assembleJobs } from '../jobs/assemble-jobs.ts'
import {
  anyWaitingJob,
  claimWaitingJobs,
  releaseAgent,
  releaseHeldLeases,
  renewHeldLeases,
} from './job-queries.ts'
import { blameLostAgent } from './lost-agent.ts'
import { lookAheadMs } from './schedule.ts'
import { withinAnswer } from './within-answer.ts'

export const leaseMs = 15_000

/** How far past its hard limit an attempt may be before its agent counts as hung. */
const hungMarginMs = 60_000

type Claimer = { location: string; agent: ClaimRequest }

/** Claims up to `maxUptime` and `maxMain` jobs of the location; resolves at once, with none if none wait. */
export const claimJobs = async (app: App & HasCipher & HasMetrics & HasWakeups, { location, agent }: Claimer): Promise<Job[]> => {
  const uptime = await claimQueue(app, { location, agent }, 'uptime', agent.maxUptime)
  const main = await claimQueue(app, { location, agent }, 'main', agent.maxMain)
  const jobs = await assembleJobs(app, [...uptime, ...main], { location, sealTo: agent.sealTo })
  const { taken, left } = withinAnswer(jobs)
  if (left.length > 0) await releaseLeases(app, { location, agentId: agent.agentId }, left.map(leaseOf))
  return taken
}

/** The lease that a job was handed out with. */
export const leaseOf = ({ id, fence }: Job): Lease => ({ jobId: id, fence })

const claimQueue = async (
  app: App & HasMetrics,
  { location, agent }: Claimer,
  queue: string,
  limit: number,
): Promise<JobsTable[]> => {
  if (limit === 0) return []
  const now = app.clock.now()
  const horizon = now + lookAheadMs
  if (!(await app.db.get(anyWaitingJob, { location, queue, horizon }))) return []
  const jobs = await app.db.all(claimWaitingJobs, {
    location,
    queue,
    agentId: agent.agentId,
    checkTypes: agent.checkTypes,
    runtimeIds: agent.runtimeIds,
    playwrightRuntimeIds: agent.playwrightRuntimeIds ?? agent.runtimeIds,
    now,
    horizon,
    leaseExpiresAt: now + leaseMs,
    limit,
  })
  for (const { run_at: runAt } of jobs)
    app.metrics.claimLateness.observe({ queue }, Math.max(0, now - runAt) / 1000)
  return jobs
}

/** Who comes with leases: the location is that of its key, the id its own choice. */
export type LeaseHolder = { location: string; agentId: string }

/** Renews what is still the agent's and returns the ids of what is not. */
export const renewLeases = async (app: App, holder: LeaseHolder, leases: Lease[]): Promise<string[]> => {
  const now = app.clock.now()
  const until = { leaseExpiresAt: now + leaseMs, startedBefore: now - hungMarginMs }
  const renewed = await app.db.all(renewHeldLeases, { leases: heldOf(leases), ...holder, ...until })
  const kept = new Set(renewed.map(({ id }) => id))
  return leases.map(({ jobId }) => jobId).filter((id) => !kept.has(id))
}

/** Gives jobs back at once; returns how many were still the agent's. */
export const releaseLeases = async (app: App & HasWakeups, holder: LeaseHolder, leases: Lease[]): Promise<number> => {
  if (leases.length === 0) return 0
  const released = await app.db.all(releaseHeldLeases, { leases: heldOf(leases), ...holder })
  for (const location of new Set(released.map(({ location }) => location))) app.wakeups.wake(location)
  return released.length
}

/** In the order in which reports lock jobs, as far as the engine keeps to it. */
const heldOf = (leases: readonly Lease[]) =>
  leases.map(({ jobId: id, fence }) => ({ id, fence })).sort((a, b) => (a.id < b.id ? -1 : 1))

/** An agent that starts anew holds nothing: what its earlier life had claimed is offered again at once. */
export const releaseEarlierLife = async (app: App & HasWakeups, agentId: string, location: string): Promise<void> => {
  const now = app.clock.now()
  const released = await app.db.transaction(async (trx) => {
    const jobs = await trx.all(releaseAgent, { agentId, location })
    await blameLostAgent(trx, jobs, now - leaseMs)
    return jobs.length
  })
  if (released > 0) app.wakeups.wake(location)
}
