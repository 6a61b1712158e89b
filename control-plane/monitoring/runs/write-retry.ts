/**
 * The retry of a failed attempt: a job of its own with the run's due time, sequence and session, written in the transaction
 * that stores the attempt. Its run still executes meanwhile, as far as the next slot of its location is concerned.
 */

import type { Retry } from '../../../protocol/retry.ts'
import { type Slot, slotIdOf } from '../../../protocol/slot-id.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import { offeredNames, readRuntimes } from '../locations/agents/agent-docs.ts'
import { agentGoneMs } from '../locations/agents/agent-presence.ts'
import { agentsOfLocation } from '../locations/agents/queries.ts'
import { insertJob } from '../schedule/job-queries.ts'
import { maxWaitMs, type RunLocation } from '../schedule/plan-slots.ts'
import { findSchedule, runLocations } from '../schedule/schedule-queries.ts'

type RetryPlan = Stamp & { startedAt: number; retry: Retry }

/** A retry waits at least so long for an agent: the next slot waits for it, not the other way round. */
const leastWaitMs = 30_000

/** Returns the location to wake. */
export const writeRetry = async (
  trx: Db,
  job: JobsTable,
  { startedAt, retry, now, newId }: RetryPlan,
): Promise<string> => {
  const id = ofSlot(job) ? slotIdOf({ ...slotOf(job), attempt: job.attempt + 1 }) : newId()
  const here = { id: job.location, name: job.run_location }
  const location = retry.elsewhere ? await another(trx, job, { here, id, now }) : here
  const runAt = now + retry.waitMs
  await trx.run(insertJob, {
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
    fence: 0,
    firstStartedAt: job.first_started_at ?? startedAt,
    now,
  })
  return location.id
}

const slotOf = ({ check_id: checkId, home: location, due_at: dueAt, attempt }: JobsTable): Slot => ({
  checkId,
  location,
  dueAt,
  attempt,
})

/** Whether it is an attempt at a due time of the schedule, which has the same id whoever makes it. */
const ofSlot = (job: JobsTable): boolean => job.id === slotIdOf(slotOf(job))

/** One of the check's other locations where an agent is, chosen by that part of the new job's id in which all differ. */
const another = async (
  trx: Db,
  job: JobsTable,
  { here, id, now }: { here: RunLocation; id: string; now: number },
): Promise<RunLocation> => {
  const schedule = await trx.get(findSchedule, { checkId: job.check_id })
  const locations = schedule ? runLocations.read(schedule.locations) : []
  const served: RunLocation[] = []
  for (const location of locations) {
    if (location.id === here.id) continue
    const agents = await trx.all(agentsOfLocation, { location: location.id, since: now - agentGoneMs })
    const able = agents.filter(({ check_types, runtime_ids }) => {
      const types = offeredNames.read(check_types)
      const runtimes = readRuntimes(runtime_ids, job.check_type)
      return types.includes(job.check_type) && (job.runtime_id === null || runtimes.includes(job.runtime_id))
    })
    if (able.length > 0) served.push(location)
  }
  return served[Number.parseInt(id.slice(-8), 16) % served.length] ?? here
}
