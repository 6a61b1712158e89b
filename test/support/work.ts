/** An agent as the control plane sees it: it claims what is due over the agent's API and reports what it "saw". */
import type { Outcome, Report } from '../../protocol/result.ts'
import type { Answer, TestApp } from './app.ts'
import { claimRequest, passingReport } from './engine-room.ts'

const message = 'connect ECONNREFUSED 127.0.0.1:80'

const outcomes = {
  passing: observed(null),
  failing: observed({ code: 'ECONNREFUSED', message, network: true }),
}

function observed(failure: { code: string; message: string; network: boolean } | null): Outcome {
  const request = { method: 'GET', url: 'http://127.0.0.1/', data: '', headers: {}, params: {} }
  const requestError = failure?.message ?? null
  const detail = {
    assertions: [],
    request,
    response: null,
    requestError,
    jobLog: null,
    jobAssets: null,
    pcapDataUrl: null,
  }
  const measured = { responseTime: 5, degraded: false, metrics: {} }
  return { kind: 'observed', observation: { ...measured, failure, assertions: [], detail } }
}

/** Runs all URL monitors that are due in the test's location. How many there were. */
export const work = async (
  plane: TestApp,
  end: 'passing' | 'failing',
  more: Partial<Report> = {},
): Promise<number> => {
  const claimed = await post(plane, 'claim', claimRequest())
  const reports = claimed.body.jobs.map((job: { id: string; fence: number }) => ({
    ...passingReport(job, plane.app.clock.now()),
    outcome: outcomes[end],
    ...more,
  }))
  if (reports.length > 0) await post(plane, 'report', { agentId: 'agent-1', reports })
  return reports.length
}

const post = async (plane: TestApp, verb: string, body: object): Promise<Answer> => {
  const answer = await plane.call('POST', `/agent/v1/${verb}`, { key: plane.agentKey, body })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer
}
