import type { Job } from '../protocol/job.ts'
import type { Outcome } from '../protocol/result.ts'
import { CannotRun } from './cannot-run.ts'
import { type Runner, runners } from './checks/index.ts'
import { DeadlinePassed } from './deadline.ts'
import type { Io } from './io.ts'
import { secretsOf } from './job-secrets.ts'
import { createScrubber } from './scrub.ts'

export type Ran = { outcome: Outcome; error: Error | null }

/**
 * One attempt: pick the runner, validate the spec, give it a deadline, run, take the job's secrets out of what came of
 * it. What the target did is an observation; what we could not do is `could-not-run`, with the error for our own
 * records. `controller` stops the run from outside: aborted with RunCancelled, its outcome is `cancelled`.
 */
export const runJob = async (job: Job, io: Io, controller: AbortController): Promise<Ran> => {
  const runner = runners[job.checkType]
  if (runner === undefined) return couldNotRun(`this agent cannot run ${job.checkType} checks`)
  const spec = runner.validate(job.spec)
  if (!spec.ok)
    return couldNotRun(
      `the check's configuration is not valid: ${spec.violations.map(({ message }) => message).join('; ')}`,
    )
  return scrubbed(await attempt({ ...job, spec: spec.value }, { runner, io, controller }), job)
}

type Attempt = { runner: Runner; io: Io; controller: AbortController }

const attempt = async (job: Job, { runner, io, controller }: Attempt): Promise<Ran> => {
  const timeoutMs = Math.min(job.deadlineMs, runner.maxDeadlineMs)
  const cancelDeadline = io.clock.at(timeoutMs, () => controller.abort(new DeadlinePassed(timeoutMs)))
  try {
    return {
      outcome: { kind: 'observed', observation: await runner.run(job, io, controller.signal) },
      error: null,
    }
  } catch (error) {
    if (controller.signal.aborted && error === controller.signal.reason) return cancelled
    if (error instanceof CannotRun) return couldNotRun(error.message)
    return couldNotRun(`the agent failed: ${messageOf(error)}`, error)
  } finally {
    cancelDeadline()
  }
}

/** The one door through which what a run has seen leaves: nothing behind it knows the secrets. */
const scrubbed = ({ outcome, error }: Ran, job: Job): Ran => {
  const scrubber = createScrubber(secretsOf(job))
  if (error !== null) {
    error.message = scrubber.text(error.message)
    error.stack = scrubber.text(error.stack ?? '')
  }
  if (outcome.kind === 'observed')
    return { outcome: { ...outcome, observation: scrubber.observation(outcome.observation) }, error }
  if (outcome.kind === 'could-not-run')
    return { outcome: { ...outcome, reason: scrubber.text(outcome.reason).slice(0, 4096) }, error }
  return { outcome, error }
}

const cancelled: Ran = { outcome: { kind: 'cancelled' }, error: null }

const couldNotRun = (reason: string, error: unknown = null): Ran => ({
  outcome: { kind: 'could-not-run', reason: reason.slice(0, 4096) },
  error: error === null || error instanceof Error ? error : new Error(String(error)),
})

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** How an attempt is counted. */
export const outcomeName = ({ outcome }: Ran): string => {
  if (outcome.kind !== 'observed') return outcome.kind
  const { failure, assertions } = outcome.observation
  return failure === null && assertions.every(({ passed }) => passed) ? 'passed' : 'failed'
}
