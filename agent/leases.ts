import type { LeasesRequest, RenewResponse } from '../protocol/agent-api.ts'
import type { Answer } from './answer.ts'
import type { HeldJob } from './held-job.ts'
import type { Io } from './io.ts'

export type LeaseOptions = {
  agentId: string
  io: Pick<Io, 'clock'>
  held: ReadonlyMap<string, HeldJob>
  leaseMs(): number
  renew(request: LeasesRequest): Promise<Answer<RenewResponse>>
  onLost(jobId: string): void
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
    .filter(({ renewedAt }) => now - renewedAt >= leaseMs() / 3)
    .slice(0, maxLeases)
  if (old.length === 0) return
  const answer = await renew({ agentId, leases: old.map(leaseOf) })
  if (!answer.ok) return
  for (const one of old) one.renewedAt = now
  for (const jobId of answer.value.lost) onLost(jobId)
}

/** The lease of a job, as requests name it. */
export const leaseOf = ({ job }: HeldJob): LeasesRequest['leases'][number] => ({
  jobId: job.id,
  fence: job.fence,
})
