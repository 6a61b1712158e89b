import type { JobQueue } from '../../protocol/check-type.ts'
import type { Job } from '../../protocol/job.ts'
import type { Report } from '../../protocol/result.ts'

/**
 * A job whose lease this agent has, or one that it gave itself by a standing order. It is `waiting` for its time or a slot, `running`, or `reporting`: finished, and the
 * control plane has not acknowledged it yet. `renewedAt`, when the lease began anew, is on the monotonic clock.
 */
export type HeldJob = {
  job: Job
  queue: JobQueue
  state: 'waiting' | 'running' | 'reporting'
  /** Stops the run. */
  controller: AbortController
  renewedAt: number
  /** About what it takes in memory. */
  length: number
  /** Its lease ran out because this agent stood while it ran: its report counts unless somebody else has the job by now. */
  lapsed: boolean
  /** This agent ran the same slot while it was alone: nothing is run, the lease is kept until that is told. */
  isRunAlone: boolean
  /** Of one that it gave itself: takes what came of it. Null: there is a lease, and the control plane is told. */
  onReport: ((report: Report) => void) | null
}
