/**
 * The retries of failed attempts: each a job of its own with the run's due time, sequence and session, written in the transaction
 * that stores the attempt. Its run still executes meanwhile, as far as the next slot of its location is concerned.
 */

import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AgentsTable, JobsTable } from '../../platform/store/database/tables/runs.ts'
import { offeredNames, readRuntimes } from '../locations/agents/agent-docs.ts'
import { agentGoneMs } from '../locations/agents/agent-presence.ts'
import { agentsOfLocations } from '../locations/agents/queries.ts'
import { insertJobs } from '../schedule/job-queries.ts'
import { maxWaitMs, type RunLocation } from '../schedule/plan-slots.ts'
import { locationsOfSchedules, runLocations } from '../schedule/schedule-queries.ts'
import type { Retry } from './retry.ts'

type FailedRun = { job: JobsTable; startedAt: number; retry: Retry }

/** A retry waits at least so long for an agent: the next slot waits for it, not the other way round. */
const leastWaitMs = 30_000

/** Returns the locations to wake. */
export const writeRetries = async (
  trx: Db,
  failed: readonly FailedRun[],
  { now, newId }: Stamp,
): Promise<string[]> => {
  if (failed.length === 0) return []
  const retries = failed.map((one) => ({ ...one, id: newId() }))
  const elsewhere = await otherLocations(trx, retries, now)
  const jobs = retries.map((one) => {
    const { job } = one
    const here = { id: job.location, name: job.run_location }
    return jobOf(one, { location: elsewhere.get(one.id) ?? here, now })
  })
  await insertJobs(trx, jobs)
  return jobs.map(({ location }) => location)
}

type NewRetry = FailedRun & { id: string }

const jobOf = (
  { job, startedAt, retry, id }: NewRetry,
  { location, now }: { location: RunLocation; now: number },
) => {
  const runAt = now + retry.waitMs
  return {
    id,
    accountId: job.account_id,
    checkId: job.check_id,
    checkType: job.check_type,
    queue: job.queue,
    runtimeId: job.runtime_id,
    location: location.id,
    runLocation: location.name,
    home: job.home,
    runSource: job.run_source,
    sessionId: job.session_id,
    checkRunId: job.check_run_id,
    sequenceId: job.sequence_id,
    attempt: job.attempt + 1,
    dueAt: job.due_at,
    runAt,
    expiresAt: runAt + Math.max(leastWaitMs, Math.min(job.period_ms, maxWaitMs)),
    periodMs: job.period_ms,
    deadlineMs: job.deadline_ms,
    firstStartedAt: job.first_started_at ?? startedAt,
    now,
  }
}

/** By the retries' ids, for those that are to run elsewhere: one of the check's other locations where an agent is, chosen by the random part of the id. */
const otherLocations = async (
  trx: Db,
  retries: readonly NewRetry[],
  now: number,
): Promise<Map<string, RunLocation>> => {
  const chosen = new Map<string, RunLocation>()
  const moving = retries.filter(({ retry }) => retry.elsewhere)
  if (moving.length === 0) return chosen
  const ids = [...new Set(moving.map(({ job }) => job.check_id))]
  const locations = new Map(
    (await trx.all(locationsOfSchedules, { ids })).map((row) => [
      row.check_id,
      runLocations.read(row.locations),
    ]),
  )
  const others = [...new Set([...locations.values()].flat().map(({ id }) => id))]
  const agents = await trx.all(agentsOfLocations, { locations: others, since: now - agentGoneMs })
  const agentsIn = Map.groupBy(agents, ({ location_id }) => location_id)
  for (const { id, job } of moving) {
    const served = (locations.get(job.check_id) ?? []).filter(
      (location) =>
        location.id !== job.location && (agentsIn.get(location.id) ?? []).some((agent) => canRun(agent, job)),
    )
    const location = served[Number.parseInt(id.slice(-8), 16) % served.length]
    if (location !== undefined) chosen.set(id, location)
  }
  return chosen
}

const canRun = (
  { check_types, runtime_ids }: Pick<AgentsTable, 'check_types' | 'runtime_ids'>,
  job: JobsTable,
): boolean => {
  const types = offeredNames.read(check_types)
  const runtimes = readRuntimes(runtime_ids, job.check_type)
  return types.includes(job.check_type) && (job.runtime_id === null || runtimes.includes(job.runtime_id))
}
