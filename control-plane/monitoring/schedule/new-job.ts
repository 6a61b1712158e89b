import { type CheckType, queueOf, runLimitMs } from '../../../protocol/check-type.ts'
import type { runSources } from '../../../protocol/job.ts'
import type { PlannedJob } from './plan-slots.ts'

/** What a job takes from its check. */
export type JobCheck = {
  id: string
  accountId: string
  type: CheckType
  runtimeId: string | null
  periodMs: number
}

/** Why the run exists, and which others of its check and location it waits for (`jobs.session_id`). */
type JobOrigin = { runSource: (typeof runSources)[number]; sessionId: string }

export const scheduled: JobOrigin = { runSource: 'SCHEDULER', sessionId: '' }

type JobStamp = { id: string; sequenceId: string; now: number; origin: JobOrigin; fence?: number }

/** The first attempt of a run, as `insertJob` takes it. All runs of one due time share their `checkRunId`. */
export const newJob = (
  check: JobCheck,
  { dueAt, expiresAt, location }: PlannedJob,
  { id, sequenceId, now, origin, fence = 0 }: JobStamp,
) => ({
  id,
  accountId: check.accountId,
  checkId: check.id,
  checkType: check.type,
  queue: queueOf(check.type),
  runtimeId: check.runtimeId,
  location: location.id,
  runLocation: location.name,
  home: location.id,
  ...origin,
  checkRunId: dueAt,
  sequenceId,
  attempt: 1,
  dueAt,
  runAt: dueAt,
  expiresAt,
  periodMs: check.periodMs,
  deadlineMs: runLimitMs(check.type),
  fence,
  firstStartedAt: null,
  now,
})
