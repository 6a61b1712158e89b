import { type Static, Type } from 'typebox'
import { ArtifactNote, maxArtifacts } from './artifact.ts'
import { AssertionOutcome } from './assertion.ts'
import { Instant } from './clock.ts'

/**
 * Why an attempt did not get its answer. `code` is the system's or the rule's name (ECONNREFUSED, TIMEOUT,
 * HTTP_STATUS …), `message` one sentence for people, `network` whether the failure happened below HTTP
 * (what `retryStrategy.onlyOn: ["NETWORK_ERROR"]` means).
 */
export const Failure = Type.Object({
  code: Type.String({ maxLength: 100 }),
  message: Type.String({ maxLength: 4096 }),
  network: Type.Boolean(),
})
export type Failure = Static<typeof Failure>

/** W3C Trace Context: which trace the requests of a run said they belong to, and as children of which span. */
export const TraceIds = Type.Object({
  traceId: Type.String({ pattern: '^[0-9a-f]{32}$', examples: ['0af7651916cd43dd8448eb211c80319c'] }),
  spanId: Type.String({ pattern: '^[0-9a-f]{16}$', examples: ['b7ad6b7169203331'] }),
})
export type TraceIds = Static<typeof TraceIds>

/**
 * What a runner saw, the same shape for every check type: the measured time in milliseconds, the failure if there was
 * one, the evaluated assertions, numbers worth aggregating by name, and the type's own `detail`. `stalledMs`: by how much the
 * times may be too long, because the agent itself stood meanwhile. `trace`: absent where no `traceparent` of ours was sent.
 */
export const Observation = Type.Object({
  responseTime: Type.Number({ minimum: 0 }),
  failure: Type.Union([Failure, Type.Null()]),
  assertions: Type.Array(AssertionOutcome),
  degraded: Type.Boolean(),
  metrics: Type.Record(Type.String(), Type.Number()),
  stalledMs: Type.Optional(Type.Number({ minimum: 0 })),
  trace: Type.Optional(TraceIds),
  detail: Type.Unknown(),
})
export type Observation = Static<typeof Observation>

/** One line of a run's log, for people. */
export const LogLine = Type.Object({
  time: Instant,
  level: Type.Enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
  msg: Type.String({ maxLength: 8192 }),
})
export type LogLine = Static<typeof LogLine>

/** `could-not-run`: the agent's own failure, never the target's. `cancelled`: stopped on request. */
export const Outcome = Type.Union([
  Type.Object({ kind: Type.Literal('observed'), observation: Observation }),
  Type.Object({ kind: Type.Literal('could-not-run'), reason: Type.String({ maxLength: 4096 }) }),
  Type.Object({ kind: Type.Literal('cancelled') }),
])
export type Outcome = Static<typeof Outcome>

/** One finished attempt on its way to the control plane. Instants are on the control plane's clock as the agent knows it. */
export const Report = Type.Object({
  jobId: Type.String({ minLength: 1, maxLength: 64 }),
  fence: Type.Integer({ minimum: 1 }),
  startedAt: Instant,
  stoppedAt: Instant,
  outcome: Outcome,
  log: Type.Array(LogLine, { maxItems: 1000 }),
  /** The files of the run, which are uploaded beside the report. Names are unique. */
  artifacts: Type.Optional(Type.Array(ArtifactNote, { maxItems: maxArtifacts })),
})
export type Report = Static<typeof Report>
