import type { Lease, RenewRequest, RenewResponse } from '../../protocol/agent-api.ts'
import type { Io } from '../net/io.ts'
import type { Answer } from '../reporting/answer.ts'
import type { HeldJob } from './held-job.ts'

type LeaseOptions = {
  agentId: string
  io: Pick<Io, 'clock'>
  held: ReadonlyMap<string, HeldJob>
  leaseMs(): number
  renew(request: RenewRequest): Promise<Answer<RenewResponse>>
  /** `lapsed`: it was not renewed in time, and nobody meant to take it away. */
  onLost(one: HeldJob, lapsed: boolean): void
}

const maxLeases = 20_000

/**
 * Renews the leases that have used up a third of their time, all in one request, every sixth of a lease: no lease gets
 * older than half of its time while the control plane answers. Those that are lost are reported to `onLost`.
 */
export const keepLeases = async (options: LeaseOptions, signal: AbortSignal): Promise<void> => {
  const { io, leaseMs } = options
  while (!signal.aborted) {
    await io.clock.sleep(leaseMs() / 6, signal)
    if (!signal.aborted) await renewOld(options)
  }
}

const renewOld = async ({ agentId, io, held, leaseMs, renew, onLost }: LeaseOptions): Promise<void> => {
  const now = io.clock.monotonic()
  const old = [...held.values()]
    .filter(({ renewedAt, lapsed }) => !lapsed && now - renewedAt >= leaseMs() / 3)
    .slice(0, maxLeases)
    .map((one) => ({
      one,
      lease: { ...leaseOf(one), finished: one.state === 'reporting' },
      isLate: hasLapsed(one, now, leaseMs()),
    }))
  if (old.length === 0) return
  const answer = await renew({ agentId, leases: old.map(({ lease }) => lease) })
  if (!answer.ok) return
  const lost = new Set(answer.value.lost)
  for (const { one, lease, isLate } of old) {
    // It may have come back with a new lease meanwhile, of which the answer does not speak.
    if (one.job.fence !== lease.fence) continue
    if (lost.has(lease.jobId)) onLost(one, isLate)
    else one.renewedAt = now
  }
}

/** Whether a lease must have run out by itself. */
export const hasLapsed = ({ renewedAt }: HeldJob, now: number, leaseMs: number): boolean =>
  now - renewedAt >= leaseMs

/** The lease of a job, as requests name it. */
export const leaseOf = ({ job }: HeldJob): Lease => ({
  jobId: job.id,
  fence: job.fence,
})
