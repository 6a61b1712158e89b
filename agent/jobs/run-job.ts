import { runLimitMs } from '../../protocol/check-type.ts'
import type { Job } from '../../protocol/job.ts'
import type { LogLine, Observation, Outcome } from '../../protocol/result.ts'
import { type CleanArtifact, cleanArtifact } from '../artifacts/clean-artifact.ts'
import { CannotRun } from '../base/cannot-run.ts'
import { DeadlinePassed } from '../base/deadline.ts'
import { createRunLog, type ReadableRunLog, type RunLog } from '../base/run-log.ts'
import { type CheckIo, runners } from '../checks/index.ts'
import type { Runner } from '../checks/runner.ts'
import { createJudge, type Judge } from '../judging/judge.ts'
import type { JudgingPool } from '../judging/pool.ts'
import type { EgressRoute } from '../net/connect/egress-route.ts'
import type { EgressRoutes, RouteWithSecrets } from '../net/connect/egress-routes.ts'
import { secretsOf } from '../scrub/job-secrets.ts'
import { type Measuring, measureUndisturbed } from './remeasure.ts'

/** What came of an attempt: its outcome, our own error if there was one, and what it leaves behind. */
export type RunResult = { outcome: Outcome; error: Error | null; log: LogLine[]; artifacts: CleanArtifact[] }

type RunEnding = Pick<RunResult, 'outcome' | 'error'>

export type RunIo = CheckIo & Measuring['io'] & { judging: JudgingPool; egressRoutes: EgressRoutes }

/**
 * One attempt: pick the runner, validate the spec, give it a deadline, run, take the job's secrets out of what came of
 * it. What the target did is an observation; what we could not do is `could-not-run`, with the error for our own
 * records. `controller` stops the run from outside: aborted with RunCancelled, its outcome is `cancelled`.
 */
export const runJob = async (job: Job, io: RunIo, controller: AbortController): Promise<RunResult> => {
  const runLog = createRunLog(io.clock)
  const judge = createJudge({ pool: io.judging, checkId: job.checkId, signal: controller.signal })
  const opened = openRoute(job, io)
  const ended =
    'reason' in opened
      ? couldNotRun(opened.reason)
      : await ending(job, { io: withRoute(io, opened.route), controller, runLog, judge })
  const secrets = [...secretsOf(job), ...runLog.secrets(), ...('reason' in opened ? [] : opened.secrets)]
  return scrubbed(ended, { runLog, secrets, judge })
}

/** `reason`: why the job says nothing that this agent could use. */
const openRoute = (job: Job, { egressRoutes }: RunIo): RouteWithSecrets | { reason: string } => {
  try {
    return egressRoutes.of(job)
  } catch (error) {
    if (error instanceof CannotRun) return { reason: error.message }
    throw error
  }
}

const withRoute = (io: RunIo, route: EgressRoute): RunIo =>
  route === io.egressRoute ? io : { ...io, egressRoute: route }

type Attempt = { io: RunIo; controller: AbortController; runLog: RunLog; judge: Judge }

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

const run = async (
  job: Job,
  runner: Runner<CheckIo>,
  { io, controller, runLog, judge }: Attempt,
): Promise<RunEnding> => {
  const timeoutMs = Math.min(job.deadlineMs, runLimitMs(job.checkType))
  const cancelDeadline = io.clock.at(timeoutMs, () => controller.abort(new DeadlinePassed(timeoutMs)))
  const context = { signal: controller.signal, runLog, judge }
  try {
    return {
      outcome: {
        kind: 'observed',
        observation: await measureUndisturbed(() => runner.run(job, io, context), {
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

type Leftovers = { runLog: ReadableRunLog; secrets: string[]; judge: Judge }

/** All that a run has seen leaves by this function: nothing after it knows the secrets. */
const scrubbed = async (ending: RunEnding, { runLog, secrets, judge }: Leftovers): Promise<RunResult> => {
  const { outcome, error } = ending
  const lines = runLog.lines()
  const artifacts = runLog.artifacts()
  const raw = {
    observation: outcome.kind === 'observed' ? outcome.observation : null,
    lines,
    texts: [
      outcome.kind === 'could-not-run' ? outcome.reason : '',
      error?.message ?? '',
      error?.stack ?? '',
      ...artifacts.map(({ name }) => name),
    ],
  }
  try {
    const { observation, lines: log, texts } = await judge.scrub(secrets, raw)
    const [reason = '', message = '', stack = '', ...names] = texts
    if (error !== null) Object.assign(error, { message, stack })
    return {
      outcome: cleanOutcome(outcome, { observation, reason }),
      error,
      log: [...log],
      artifacts: artifacts.map((artifact, index) =>
        cleanArtifact(artifact, { secrets, name: names[index] ?? '' }),
      ),
    }
  } catch (problem) {
    for (const artifact of artifacts) await cleanArtifact(artifact, { secrets, name: '' }).discard()
    return { ...unscrubbed(problem), log: [], artifacts: [] }
  }
}

type CleanParts = { observation: Observation | null; reason: string }

const cleanOutcome = (outcome: Outcome, { observation, reason }: CleanParts): Outcome => {
  if (outcome.kind === 'observed' && observation !== null) return { ...outcome, observation }
  return outcome.kind === 'could-not-run' ? { ...outcome, reason: reason.slice(0, 4096) } : outcome
}

/** Nothing that the run saw may be said. */
const unscrubbed = (problem: unknown): RunEnding =>
  problem instanceof CannotRun
    ? couldNotRun(problem.message)
    : couldNotRun('the secrets of the run could not be taken out of its result', problem)

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
