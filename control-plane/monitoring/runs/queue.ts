/**
 * Claims, renewals and releases. A lease is a job's claim with an expiry and a fencing token (`fence`): an agent that
 * lost its lease can finish, but its report carries an old fence and is refused once somebody else has claimed the job.
 */

import type { ClaimRequest, Lease } from '../../../protocol/agent-api.ts'
import type { CheckType } from '../../../protocol/check-type.ts'
import type { Job } from '../../../protocol/job.ts'
import type { App } from '../../platform/app.ts'
import type { JobsTable } from '../../platform/database/tables/runs.ts'
import { type JobContent, jobContents } from '../checks/job-content.ts'
import { type Claimant, type JobNetwork, jobNetworks } from '../checks/job-network.ts'
import { checksById } from './check-queries.ts'
import { anyWaitingJob, claimWaitingJobs, releaseAgent, releaseLease, renewLease } from './job-queries.ts'
import { lookAheadMs } from './schedule.ts'

export const leaseMs = 15_000

/** How far past its hard limit an attempt may be before its agent counts as hung. */
const hungMarginMs = 60_000

type Claimer = { location: string; agent: ClaimRequest }

/** Claims up to `maxUptime` and `maxMain` jobs of the location; resolves at once, with none if none wait. */
export const claimJobs = async (app: App, { location, agent }: Claimer): Promise<Job[]> => {
  const uptime = await claimQueue(app, { location, agent }, 'uptime', agent.maxUptime)
  const main = await claimQueue(app, { location, agent }, 'main', agent.maxMain)
  return toJobs(app, [...uptime, ...main], { location, sealTo: agent.sealTo })
}

const claimQueue = async (
  app: App,
  { location, agent }: Claimer,
  queue: string,
  limit: number,
): Promise<JobsTable[]> => {
  if (limit === 0) return []
  const now = app.clock.now()
  const horizon = now + lookAheadMs
  if (!(await app.db.get(anyWaitingJob, { location, queue, horizon }))) return []
  return app.db.all(claimWaitingJobs, {
    location,
    queue,
    agentId: agent.agentId,
    checkTypes: agent.checkTypes,
    runtimeIds: agent.runtimeIds,
    now,
    horizon,
    leaseExpiresAt: now + leaseMs,
    limit,
  })
}

/** A job whose check vanished in between has no check to run: its row went with the check. */
const toJobs = async (app: App, rows: JobsTable[], claimant: Claimant): Promise<Job[]> => {
  if (rows.length === 0) return []
  const ids = [...new Set(rows.map(({ check_id }) => check_id))]
  const checks = await app.db.all(checksById, { ids })
  const contents = await jobContents(app, checks)
  const names = new Map(checks.map(({ id, name }) => [id, name]))
  const wanted = rows
    .sort((a, b) => a.run_at - b.run_at)
    .flatMap((row) => {
      const content = contents.get(row.check_id)
      return content ? [{ ...row, content }] : []
    })
  const ways = await jobNetworks(app, wanted, claimant)
  return wanted.map((job) => toJob(job, names.get(job.check_id) ?? '', ways.get(job.id) ?? {}))
}

type JobWithContent = JobsTable & { content: JobContent }

const toJob = (
  { content: { variables, spec }, ...row }: JobWithContent,
  checkName: string,
  way: JobNetwork,
): Job => ({
  id: row.id,
  fence: row.fence,
  accountId: row.account_id,
  checkId: row.check_id,
  checkName,
  checkType: row.check_type as CheckType,
  runtimeId: row.runtime_id as Job['runtimeId'],
  runLocation: row.run_location,
  runSource: row.run_source as Job['runSource'],
  checkRunId: row.check_run_id,
  sequenceId: row.sequence_id,
  attempt: row.attempt,
  dueAt: row.due_at,
  runAt: row.run_at,
  deadlineMs: row.deadline_ms,
  variables,
  ...way,
  spec,
})

/** Renews what is still the agent's and returns the ids of what is not. */
export const renewLeases = (app: App, agentId: string, leases: Lease[]): Promise<string[]> => {
  const now = app.clock.now()
  const until = { leaseExpiresAt: now + leaseMs, startedBefore: now - hungMarginMs }
  return app.db.transaction(async (trx) => {
    const lost: string[] = []
    for (const { jobId, fence } of leases) {
      const renewed = await trx.run(renewLease, { id: jobId, agentId, fence, ...until })
      if (renewed === 0) lost.push(jobId)
    }
    return lost
  })
}

/** Gives jobs back at once; returns how many were still the agent's. */
export const releaseLeases = async (app: App, agentId: string, leases: Lease[]): Promise<number> => {
  const released = await app.db.transaction(async (trx) => {
    const locations: string[] = []
    for (const { jobId, fence } of leases)
      for (const { location } of await trx.all(releaseLease, { id: jobId, agentId, fence }))
        locations.push(location)
    return locations
  })
  for (const location of new Set(released)) app.wakeups.wake(location)
  return released.length
}

/** An agent that starts anew holds nothing: what its earlier life had claimed is offered again at once. */
export const releaseEarlierLife = async (app: App, agentId: string, location: string): Promise<void> => {
  if ((await app.db.run(releaseAgent, { agentId, location })) > 0) app.wakeups.wake(location)
}
