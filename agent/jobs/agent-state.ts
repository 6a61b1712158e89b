import type { JobQueue } from '../../protocol/check-type.ts'
import type { ArtifactOutbox } from '../artifacts/artifact-outbox.ts'
import type { BackOff } from '../base/back-off.ts'
import type { Levels, Metrics } from '../base/metrics.ts'
import type { Isolation } from '../isolation/isolation.ts'
import type { ControlPlane } from '../reporting/control-plane.ts'
import type { Outbox, OutboxOptions } from '../reporting/outbox.ts'
import type { StaleReports } from '../reporting/stale-reports.ts'
import type { offeredRuntimes } from '../sandbox/runtimes.ts'
import type { Alone, AloneParts } from './alone.ts'
import type { DueQueue } from './due-queue.ts'
import type { HeldJob } from './held-job.ts'
import type { OwnNetwork } from './own-network.ts'
import type { RunIo } from './run-job.ts'
import type { Slots } from './slots.ts'

export type AgentIo = RunIo & {
  /** How busy this process was since the last call: 0 idle, 1 without a pause. */
  busy(): number
  /** The runtimes whose scripts it takes, as they are now. */
  offeredRuntimes(): ReturnType<typeof offeredRuntimes>
  /** What holds code of users, and which of it stands here. */
  isolation: Isolation
}

export type AgentOptions = {
  agentId: string
  /** Such as `linux-x64`. */
  platform: string
  io: AgentIo
  controlPlane: ControlPlane
  metrics: Metrics
  createOutbox(onSettled: OutboxOptions['onSettled']): Outbox
  artifacts: ArtifactOutbox
  spoolLevels(): Omit<
    Levels,
    'held' | 'waiting' | 'running' | 'slow' | 'connected' | 'standingOrders' | 'alone' | 'lateReports'
  >
  /** Why results would be lost with this process, in a sentence; null: they would not. */
  notDurable(): string | null
  reportError(error: Error): void
  /** The control plane has told where this agent is. */
  onLocation(location: string): void
  ownNetwork: OwnNetwork
  parts: AloneParts
  /** Slots of each queue. */
  uptimeConcurrency: number
  jobConcurrency: number
  drainTimeoutMs: number
}

/** What an agent knows while it lives. `createAgent` makes it once, and the functions of the loop share it. */
export type AgentState = {
  options: AgentOptions
  /** By the id of the job. */
  held: Map<string, HeldJob>
  /** Jobs whose run was stopped and has not ended. */
  stopping: Set<string>
  staleReports: StaleReports
  /** Held jobs that are not due. */
  waiting: DueQueue<HeldJob>
  /** Held jobs that have not started, due or not. */
  notStarted: Record<JobQueue, number>
  slots: Slots
  outbox: Outbox
  /** Of claims that fail. */
  claimBackOff: BackOff
  alone: Alone
  /** Ends the claims; `working` ends the renewals, too. */
  claiming: AbortController
  working: AbortController
  leaseMs: number
  /** Whether the last poll succeeded, and whether one ever has. */
  connected: boolean
  everConnected: boolean
  /** What an earlier agent left is being sent; nothing is claimed yet. */
  recovering: boolean
  draining: boolean
  /** Of what it lacks, what its location needs. */
  needed: readonly string[]
  /** When the loop last went round, on the monotonic clock. */
  turnedAt: number
  /** Cancels the timer of the next job that is due. */
  cancelTimer: (() => void) | null
}

/** All but what is made of it. */
export type AgentCore = Omit<AgentState, 'alone'>
