import type { ClaimRequest } from '../../protocol/agent-api.ts'
import type { Job } from '../../protocol/job.ts'
import type { Report } from '../../protocol/result.ts'
import type { Levels } from '../base/metrics.ts'
import type { FallbackWebhook } from '../orders/fallback-webhook.ts'
import type { LateBatches } from '../orders/late-batches.ts'
import type { StandingOrders } from '../orders/standing-orders.ts'
import type { Refusal } from '../reporting/answer.ts'
import type { ClaimAnswer } from '../reporting/control-plane.ts'

/** Made by the program. `fallback` is null where nobody is to be told. */
export type AloneParts = { orders: StandingOrders; late: LateBatches; fallback: FallbackWebhook | null }

export type Alone = {
  /** Reads what an earlier process left: jobs whose reports wait and whose files wait for them. */
  open(): Promise<ReadonlySet<string>>
  start(): void
  heard(call: string, serverTime: number): void
  onClaimed(answer: ClaimAnswer): void
  onFailed(refusal: Refusal): void
  /** A job of the control plane's is held; its run has ended. */
  noteJob(job: Job): void
  noteResult(job: Job, report: Report): void
  /** What has become of the slot of a job that this agent has begun while it was alone; null: it has not. */
  runOf(job: Job): 'running' | 'reporting' | null
  /** For a claim. */
  offer(): NonNullable<ClaimRequest['orders']>
  /** In a sentence; null: the control plane answers. */
  inWords(): string | null
  levels(): Pick<Levels, 'standingOrders' | 'alone' | 'lateReports'>
  /** Nothing begins any more; then what runs is stopped, and in the end nothing is sent. */
  close(): void
  cancel(): void
  stop(): void
}
