/**
 * A runner is a function from a valid spec to an observation. What the target does is data; a runner throws only when this
 * agent itself is at fault.
 *
 * Invariant: a runner ends soon after its signal aborts, and reaches the world through `io` only.
 */
import type { Static, TSchema } from 'typebox'
import type { Job } from '../../protocol/job.ts'
import type { Observation } from '../../protocol/result.ts'
import { compile, type Validator } from '../../protocol/validate.ts'
import type { RunLog } from '../base/run-log.ts'
import type { Judge } from '../judging/judge.ts'
import type { Io } from '../net/io.ts'
import type { ProbeModule } from './probe-module.ts'

/** `Needs`: what a type needs beside the network. */
export type Runner<Needs extends Io = Io> = {
  validate: Validator<unknown>
  /** Whether this machine has what the type needs; absent: it needs nothing. */
  isAvailable?(io: Needs): boolean
  /** The job's spec is valid. `runLog` takes log lines and files; secrets are taken out of both afterwards. */
  run(job: Job, io: Needs, context: RunContext): Promise<Observation>
  /** Whether what a job sends can be sent again without harm. The job's spec is valid. */
  isRepeatable(job: Job): boolean
  /** The modules of `/probe` that run it; absent: none. */
  probes?: Readonly<Record<string, ProbeModule>>
}

/** What a runner is given for the time of one run. `judge` evaluates its assertions within the run's budget. */
export type RunContext = { signal: AbortSignal; runLog: RunLog; judge: Judge }

export const runner = <S extends TSchema, Needs extends Io>(
  schema: S,
  run: (spec: Static<S>, io: Needs, context: RunContext) => Promise<Observation>,
  isRepeatable: (spec: Static<S>) => boolean = never,
): Runner<Needs> => ({
  validate: compile(schema),
  run: ({ spec }, io, context) => run(spec as Static<S>, io, context),
  isRepeatable: ({ spec }) => isRepeatable(spec as Static<S>),
})

const never = (): boolean => false

type JobOf<S extends TSchema> = Omit<Job, 'spec'> & { spec: Static<S> }

/** For types that need more of the job than its spec, such as its variables. */
export const jobRunner = <S extends TSchema, Needs extends Io>(
  schema: S,
  run: (job: JobOf<S>, io: Needs, context: RunContext) => Promise<Observation>,
  isRepeatable: (spec: Static<S>) => boolean = never,
): Runner<Needs> => ({
  validate: compile(schema),
  run: (job, io, context) => run(job as JobOf<S>, io, context),
  isRepeatable: ({ spec }) => isRepeatable(spec as Static<S>),
})

/** What the service provides; variables of the account, the group and the check come before it. */
export const runVariables = (job: Omit<Job, 'spec'>): [string, string][] => [
  ['ACCOUNT_ID', job.accountId],
  ['CHECK_ID', job.checkId],
  ['CHECK_NAME', job.checkName],
  ['CHECK_TYPE', job.checkType],
  ['REGION', job.runLocation],
  ['CHECK_RESULT_ID', job.id],
  ['CHECK_RUN_ID', String(job.checkRunId)],
  ...(job.runtimeId === null ? [] : [['RUNTIME_VERSION', job.runtimeId] as [string, string]]),
]
