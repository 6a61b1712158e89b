import type { TSchema } from 'typebox'
import type { ArtifactKind } from '../artifact-kinds.ts'
import type { Metric, SummaryMetric } from './metric.ts'
import type { ProbeSeries } from './probe-sample.ts'

/** `uptime` jobs are cheap and run by the hundred in one process; `main` jobs start a script or a browser. */
export type JobQueue = 'uptime' | 'main'

const minuteMs = 60_000

/** The hard limit of one attempt. */
export const runLimits = {
  uptime: 30_000,
  script: 4 * minuteMs,
  suite: 60 * minuteMs,
} as const

/** What both programs, or the wire between them, have to know of a check type: an entry of the registry (index.ts). */
export type CheckProtocol = {
  queue: JobQueue
  runLimitMs: number
  /** What a job carries, and what its observation carries as `detail`. Null: no agent can run it. */
  spec: TSchema | null
  detail: TSchema | null
  /** Its scripts run with the Playwright of their runtime; absent: without. */
  needsPlaywright?: true
  /** The property of a check result that shows the detail; null: its results have none of their own. */
  resultProperty: string | null
  /** What its analytics know beside availability and retries. */
  metrics: readonly Metric[]
  /** Beside them, of the TLS connection that a run made. */
  tlsMetrics?: readonly Metric[]
  summary: readonly SummaryMetric[]
  /** What its runs say in the words of blackbox_exporter, beside success and duration. */
  probe?: ProbeSeries
  /** The files that its runs leave behind; absent: none. */
  artifacts?: readonly ArtifactKind[]
}

/** Others ping us: nothing of it is ever due, and its results are pings that came or stayed away. */
export const heartbeatProtocol: CheckProtocol = {
  queue: 'uptime',
  runLimitMs: runLimits.uptime,
  spec: null,
  detail: null,
  resultProperty: null,
  metrics: [],
  summary: [],
}
