/** What tests of test sessions and triggers do again and again, as clients and as an agent. */
import type { Answer, TestApp } from './app.ts'
import { claimRequest, emptyHttpDetail, passingReport } from './engine-room.ts'

type Job = {
  id: string
  fence: number
  checkId: string
  runSource: string
  variables: { key: string; value: string }[]
}

export const createUrlCheck = async (plane: TestApp, more: object = {}): Promise<string> => {
  const request = { url: 'http://127.0.0.1/' }
  const body = { name: 'site', request, privateLocations: ['local'], frequency: 60, ...more }
  const answer = await plane.call('POST', '/v1/checks/url', { body })
  if (answer.status !== 201) throw new Error(answer.text)
  await workAll(plane)
  return answer.body.id
}

export const claimAll = async (plane: TestApp): Promise<Job[]> =>
  (
    await plane.call('POST', '/agent/v1/claim', {
      key: plane.agentKey,
      body: claimRequest({ checkTypes: ['URL', 'API'] }),
    })
  ).body.jobs

export const reportJob = (plane: TestApp, job: Job, outcome?: object): Promise<Answer> => {
  const passing = passingReport(job, plane.app.clock.now())
  const reports = [outcome ? { ...passing, outcome } : passing]
  return plane.call('POST', '/agent/v1/report', {
    key: plane.agentKey,
    body: { agentId: 'agent-1', reports },
  })
}

/** An agent that passes, or fails, whatever there is to run. */
export const workAll = async (plane: TestApp, outcome?: object): Promise<number> => {
  const jobs = await claimAll(plane)
  for (const job of jobs) await reportJob(plane, job, outcome)
  return jobs.length
}

export const refused = {
  kind: 'observed',
  observation: {
    responseTime: 3,
    failure: { code: 'ECONNREFUSED', message: 'refused', network: true },
    assertions: [],
    degraded: false,
    metrics: {},
    detail: emptyHttpDetail,
  },
}
