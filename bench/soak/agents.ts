/** An agent that claims what is due and reports it at once, without running anything. */
import { setTimeout as sleep } from 'node:timers/promises'
import { agentPaths, type ClaimResponse, type ReportResponse } from '../../protocol/agent-api.ts'
import type { Job } from '../../protocol/job.ts'
import type { Observation } from '../../protocol/result.ts'
import type { Post } from '../support/post-json.ts'

/** Reported before their leases end, whose fifteen seconds are a quarter of one here. */
const jobsAtOnce = 20
const idleMs = 100
/** One run in so many fails. */
const failingEvery = 50

export type Observations = { passing: Observation; failing: Observation }
export type Reported = Record<'accepted' | 'others', number>

const agentId = 'soak'

const reportOf = ({ id, fence, runAt }: Job, observation: Observation) => ({
  jobId: id,
  fence,
  startedAt: runAt,
  stoppedAt: runAt + Math.ceil(observation.responseTime),
  outcome: { kind: 'observed', observation },
  log: [],
})

/** Until the signal aborts; counts into `reported` what became of its reports. */
export const actAsAgent = async (
  post: Post,
  { passing, failing }: Observations,
  { reported, signal }: { reported: Reported; signal: AbortSignal },
): Promise<void> => {
  const claim = {
    agentId,
    version: '1.0.0',
    platform: 'linux-x64',
    checkTypes: ['URL'],
    runtimeIds: [],
    maxUptime: jobsAtOnce,
    maxMain: 0,
    waitMs: 0,
  }
  let runs = 0
  while (!signal.aborted) {
    const { jobs } = (await post(agentPaths.claim, JSON.stringify(claim))) as ClaimResponse
    if (jobs.length > 0) {
      const reports = jobs.map((job) => {
        runs += 1
        return reportOf(job, runs % failingEvery === 0 ? failing : passing)
      })
      const answer = await post(agentPaths.report, JSON.stringify({ agentId, reports }))
      for (const { outcome } of (answer as ReportResponse).outcomes)
        reported[outcome === 'accepted' ? 'accepted' : 'others'] += 1
    }
    if (jobs.length < jobsAtOnce) await sleep(idleMs)
  }
}
