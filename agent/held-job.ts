import type { JobQueue } from '../protocol/check-type.ts'
import type { Job } from '../protocol/job.ts'

/**
 * A job whose lease this agent has. `waiting` for its time or a slot, `running`, or `reporting`: finished, and the control
 * plane has not acknowledged it yet. `leaseUntil` is on the monotonic clock.
 */
export type HeldJob = {
  job: Job
  queue: JobQueue
  state: 'waiting' | 'running' | 'reporting'
  controller: AbortController
  renewedAt: number
}
