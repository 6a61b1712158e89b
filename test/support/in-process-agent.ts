/**
 * An agent in this process: it claims over the agent's API, runs with the agent's own runners against real targets, and
 * reports. It has no loop: `runDue` is one round, on the clock of the control plane under test.
 */

import { runJob } from '../../agent/jobs/run-job.ts'
import type { RealIo } from '../../agent/program/real-io.ts'
import { agentPaths, type ClaimResponse } from '../../protocol/agent-api.ts'
import type { Job } from '../../protocol/job.ts'
import type { Report } from '../../protocol/result.ts'
import { agentIo } from './agent-io.ts'
import type { TestApp } from './app.ts'
import { claimRequest } from './engine-room.ts'

export type InProcessAgent = {
  /** Runs what is due now; what is not due yet is kept for a later round. How many runs that were. */
  runDue(): Promise<number>
}

/** `io`: what else than URL checks it can run, and `offers` says so. */
type Abilities = { io?: RealIo; offers?: Parameters<typeof claimRequest>[0] }

export const inProcessAgent = (
  plane: TestApp,
  { io = agentIo(), offers = {} }: Abilities = {},
): InProcessAgent => {
  const agent = claimRequest(offers)
  const held: Job[] = []
  const post = async <T>(path: string, body: object): Promise<T> => {
    const answer = await plane.call('POST', path, { key: plane.agentKey, body })
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${answer.text}`)
    return answer.body
  }
  return {
    runDue: async () => {
      const now = plane.app.clock.now()
      const { jobs } = await post<ClaimResponse>(agentPaths.claim, agent)
      const all = [...held, ...jobs]
      const due = all.filter(({ runAt }) => runAt <= now)
      held.splice(0, held.length, ...all.filter(({ runAt }) => runAt > now))
      if (due.length === 0) return 0
      const reports = await Promise.all(due.map((job) => attempt(job, io, now)))
      await post(agentPaths.report, { agentId: agent.agentId, reports })
      return due.length
    },
  }
}

const attempt = async (job: Job, io: RealIo, now: number): Promise<Report> => {
  const { outcome, log, artifacts } = await runJob(job, io, new AbortController())
  for (const artifact of artifacts) await artifact.discard()
  return { jobId: job.id, fence: job.fence, startedAt: now, stoppedAt: now, outcome, log }
}
