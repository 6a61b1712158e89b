/**
 * The registry of runners: a line for each check type that this agent can run. A runner is a function from a valid spec
 * to an observation. What the target does is data; a runner throws only when this agent itself is at fault.
 *
 * Invariant: a runner ends soon after its signal aborts, and reaches the world through `io` only.
 */
import type { Static, TSchema } from 'typebox'
import { type CheckType, runLimitMs } from '../../protocol/check-type.ts'
import { ApiSpec } from '../../protocol/checks/api.ts'
import { DnsSpec } from '../../protocol/checks/dns.ts'
import { IcmpSpec } from '../../protocol/checks/icmp.ts'
import { TcpSpec } from '../../protocol/checks/tcp.ts'
import { UrlSpec } from '../../protocol/checks/url.ts'
import type { Job } from '../../protocol/job.ts'
import type { Observation } from '../../protocol/result.ts'
import { compile, type Validator } from '../../protocol/validate.ts'
import type { Io } from '../io.ts'
import type { RunLog } from '../run-log.ts'
import { runApi } from './api.ts'
import { runDns } from './dns.ts'
import { runIcmp } from './icmp.ts'
import { runTcp } from './tcp.ts'
import { runUrl } from './url.ts'

export type Runner = {
  validate: Validator<unknown>
  /** The job's spec is valid. `runLog` takes log lines and files; secrets are taken out of both afterwards. */
  run(job: Job, io: Io, context: RunContext): Promise<Observation>
  /** The longest that an attempt of this type may take, whatever the job says. */
  maxDeadlineMs: number
}

/** What a runner is given for the time of one run. */
export type RunContext = { signal: AbortSignal; runLog: RunLog }

const runner = <S extends TSchema>(
  schema: S,
  run: (spec: Static<S>, io: Io, signal: AbortSignal, runLog: RunLog) => Promise<Observation>,
  maxDeadlineMs: number,
): Runner => ({
  validate: compile(schema),
  run: ({ spec }, io, { signal, runLog }) => run(spec as Static<S>, io, signal, runLog),
  maxDeadlineMs,
})

type JobOf<S extends TSchema> = Omit<Job, 'spec'> & { spec: Static<S> }

/** For types that need more of the job than its spec, such as its variables. */
const jobRunner = <S extends TSchema>(
  schema: S,
  run: (job: JobOf<S>, io: Io, signal: AbortSignal, runLog: RunLog) => Promise<Observation>,
  maxDeadlineMs: number,
): Runner => ({
  validate: compile(schema),
  run: (job, io, { signal, runLog }) => run(job as JobOf<S>, io, signal, runLog),
  maxDeadlineMs,
})

export const runners: Partial<Record<CheckType, Runner>> = {
  URL: runner(UrlSpec, runUrl, 30_000),
  TCP: runner(TcpSpec, runTcp, 30_000),
  DNS: runner(DnsSpec, runDns, 30_000),
  API: jobRunner(ApiSpec, runApi, runLimitMs('API')),
  ICMP: runner(IcmpSpec, runIcmp, 30_000),
}
