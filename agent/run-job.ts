import { runLimitMs } from '../protocol/check-type.ts'
import type { Job } from '../protocol/job.ts'
import type { LogLine, Outcome } from '../protocol/result.ts'
import { type CleanArtifact, cleanArtifact } from './artifacts/clean-artifact.ts'
import { CannotRun } from './cannot-run.ts'
import { runners } from './checks/index.ts'
import type { Runner } from './checks/runner.ts'
import { DeadlinePassed } from './deadline.ts'
import type { Io } from './io.ts'
import { secretsOf } from './job-secrets.ts'
import type { EgressRoute } from './net/connect/egress-route.ts'
import type { RouteWithSecrets } from './net/connect/egress-routes.ts'
import { createRunLog, type ReadableRunLog, type RunLog } from './run-log.ts'
import { createScrubber } from './scrub.ts'
import { takeUndisturbed } from './take-again.ts'

/** What came of an attempt: its outcome, our own error if there was one, and what it leaves behind. */
export type RunResult = { outcome: Outcome; error: Error | null; log: LogLine[]; artifacts: CleanArtifact[] }

type RunEnding = Pick<RunResult, 'outcome' | 'error'>

/**
 * One attempt: pick the runner, validate the spec, give it a deadline, run, take the job's secrets out of what came of
 * it. What the target did is an observation; what we could not do is `could-not-run`, with the error for our own
 * records. `controller` stops the run from outside: aborted with RunCancelled, its outcome is `cancelled`.
 */
export const runJob = async (job: Job, io: Io, controller: AbortController): Promise<RunResult> => {
  const runLog = createRunLog(io.clock)
  const opened = openRoute(job, io)
  const ended =
    'reason' in opened
      ? couldNotRun(opened.reason)
      : await ending(job, { io: withRoute(io, opened.route), controller, runLog })
  return scrubbed(ended, runLog, [
    ...secretsOf(job),
    ...runLog.secrets(),
    ...('reason' in opened ? [] : opened.secrets),
  ])
}

/** `reason`: why the job says nothing that this agent could use. */
const openRoute = (job: Job, { egressRoutes }: Io): RouteWithSecrets | { reason: string } => {
  try {
    return egressRoutes.of(job)
  } catch (error) {
    if (error instanceof CannotRun) return { reason: error.message }
    throw error
  }
}

const withRoute = (io: Io, route: EgressRoute): Io =>
  route === io.egressRoute ? io : { ...io, egressRoute: route }

type Attempt = { io: Io; controller: AbortController; runLog: RunLog }

const ending = async (job: Job, attempt: Attempt): Promise<RunEnding> => {
  const runner = runners[job.checkType]
  if (runner === undefined) return couldNotRun(`this agent cannot run ${job.checkType} checks`)
  const spec = runner.validate(job.spec)
  if (!spec.ok)
    return couldNotRun(
      `the check's configuration is not valid: ${spec.violations.map(({ message }) => message).join('; ')}`,
    )
  return run({ ...job, spec: spec.value }, runner, attempt)
}

const run = async (job: Job, runner: Runner, { io, controller, runLog }: Attempt): Promise<RunEnding> => {
  const timeoutMs = Math.min(job.deadlineMs, runLimitMs(job.checkType))
  const cancelDeadline = io.clock.at(timeoutMs, () => controller.abort(new DeadlinePassed(timeoutMs)))
  const context = { signal: controller.signal, runLog }
  try {
    return {
      outcome: {
        kind: 'observed',
        observation: await takeUndisturbed(() => runner.run(job, io, context), {
          ...context,
          io,
          isRepeatable: runner.isRepeatable(job),
        }),
      },
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
const scrubbed = ({ outcome, error }: RunEnding, runLog: ReadableRunLog, secrets: string[]): RunResult => {
  const scrubber = createScrubber(secrets)
  if (error !== null) {
    error.message = scrubber.text(error.message)
    error.stack = scrubber.text(error.stack ?? '')
  }
  const rest = {
    error,
    log: scrubber.lines(runLog.lines()),
    artifacts: runLog
      .artifacts()
      .map((artifact) => cleanArtifact(artifact, { secrets, text: scrubber.text })),
  }
  if (outcome.kind === 'observed')
    return { outcome: { ...outcome, observation: scrubber.observation(outcome.observation) }, ...rest }
  if (outcome.kind === 'could-not-run')
    return { outcome: { ...outcome, reason: scrubber.text(outcome.reason).slice(0, 4096) }, ...rest }
  return { outcome, ...rest }
}

const cancelled: RunEnding = { outcome: { kind: 'cancelled' }, error: null }

const couldNotRun = (reason: string, error: unknown = null): RunEnding => ({
  outcome: { kind: 'could-not-run', reason: reason.slice(0, 4096) },
  error: error === null || error instanceof Error ? error : new Error(String(error)),
})

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** How an attempt is counted. */
export const outcomeName = ({ outcome }: Pick<RunResult, 'outcome'>): string => {
  if (outcome.kind !== 'observed') return outcome.kind
  const { failure, assertions } = outcome.observation
  return failure === null && assertions.every(({ passed }) => passed) ? 'passed' : 'failed'
}
