import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Test } from 'tap'
import {
  agentPaths,
  type ClaimRequest,
  type ReleaseRequest,
  type RenewRequest,
  type ReportRequest,
} from '../../protocol/agent-api.ts'
import type { Job } from '../../protocol/job.ts'
import type { Report } from '../../protocol/result.ts'
import type { Credentials } from './certificates.ts'
import { httpServer, httpsServer } from './servers.ts'

/**
 * The agent's side of a control plane, in memory: hands out the jobs it is given, answers leases, keeps reports.
 * `refuse` makes every answer that status until it is set back to null.
 */
export type FakeControlPlane = {
  origin: string
  offer(...jobs: Job[]): void
  claims: ClaimRequest[]
  renewals: RenewRequest[]
  releases: ReleaseRequest[]
  reports: Report[]
  errorEvents: unknown[]
  /** Jobs that the next renewals call lost. */
  lost: Set<string>
  /** Types of checks that run in the location, of which an agent is told what it lacks. */
  types: string[]
  refuse: number | null
  /** What is said about a report; null refuses the whole request with 400. */
  judge(report: Report): 'accepted' | 'duplicate' | 'stale' | 'refused' | null
  /** Resolves when the condition holds; it is checked after each request, and now and then for what happens elsewhere. */
  until(condition: () => boolean): Promise<void>
  serverTime(): number
}

export const fakeControlPlane = async (
  t: Test,
  {
    serverTime,
    apiKey,
    leaseMs = 15_000,
    tls,
  }: { serverTime: () => number; apiKey: string; leaseMs?: number; tls?: Credentials },
): Promise<FakeControlPlane> => {
  const offered: Job[] = []
  const watchers = new Set<() => void>()
  const polls = new Set<() => void>()

  const claim = async (request: ClaimRequest, response: ServerResponse): Promise<unknown> => {
    plane.claims.push(request)
    if (offered.length === 0 && request.waitMs > 0) await offerOrGone(response)
    const needed = request.lacks?.filter((type) => plane.types.includes(type))
    const jobs = offered.splice(0, request.maxUptime)
    return { serverTime: serverTime(), leaseMs, jobs, ...(needed && { needed }) }
  }

  const offerOrGone = (response: ServerResponse): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        polls.delete(wake)
        resolve()
      }
      polls.add(wake)
      response.on('close', wake)
      for (const look of watchers) look()
    })

  const answer = async (path: string, body: unknown, response: ServerResponse): Promise<unknown> => {
    if (path === agentPaths.claim) return claim(body as ClaimRequest, response)
    if (path === agentPaths.renew) {
      plane.renewals.push(body as RenewRequest)
      const lost = [...plane.lost]
      plane.lost.clear()
      return { serverTime: serverTime(), lost }
    }
    if (path === agentPaths.release) {
      plane.releases.push(body as ReleaseRequest)
      return { serverTime: serverTime(), released: (body as ReleaseRequest).leases.length }
    }
    if (path === agentPaths.errorEvents) {
      plane.errorEvents.push(body)
      return { serverTime: serverTime(), stored: 1 }
    }
    const { reports } = body as ReportRequest
    const outcomes = reports.map((report) => ({ jobId: report.jobId, outcome: plane.judge(report) }))
    if (outcomes.some(({ outcome }) => outcome === null)) return null
    plane.reports.push(...reports)
    return { serverTime: serverTime(), outcomes }
  }

  const listen = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body: unknown = JSON.parse(Buffer.concat(parts).toString())
    const authorized = request.headers.authorization === `Bearer ${apiKey}`
    const refused = plane.refuse ?? (authorized ? null : 401)
    const value = refused === null ? await answer(request.url ?? '', body, response) : null
    // `judge` may have turned the control plane off.
    response.statusCode = plane.refuse ?? refused ?? (value === null ? 400 : 200)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(value ?? { message: 'refused by the test', attributes: {} }))
    for (const look of watchers) look()
  }

  const plane: FakeControlPlane = {
    origin: '',
    offer: (...jobs) => {
      offered.push(...jobs)
      for (const wake of polls) wake()
    },
    claims: [],
    types: [],
    renewals: [],
    releases: [],
    reports: [],
    errorEvents: [],
    lost: new Set(),
    refuse: null,
    judge: () => 'accepted',
    until: (condition) =>
      new Promise((resolve) => {
        const forget = (): void => {
          clearInterval(timer)
          watchers.delete(look)
        }
        const look = (): void => {
          if (!condition()) return
          forget()
          resolve()
        }
        const timer = setInterval(look, 20)
        watchers.add(look)
        t.teardown(forget)
        look()
      }),
    serverTime,
  }
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    listen(request, response).catch((error: unknown) => response.destroy(error as Error))
  }
  const { origin } = await (tls === undefined ? httpServer(t, listener) : httpsServer(t, tls, listener))
  return Object.assign(plane, { origin })
}

let jobs = 0

/** A job for a URL check; `runAt` defaults to at once. */
export const urlJob = (url: string, change: Partial<Job> = {}): Job => {
  jobs += 1
  return {
    id: `job-${jobs}`,
    fence: 1,
    accountId: '00000000-0000-4000-8000-000000000001',
    checkId: '00000000-0000-4000-8000-000000000002',
    checkName: 'site',
    checkType: 'URL',
    runtimeId: null,
    runLocation: 'local',
    runSource: 'SCHEDULER',
    checkRunId: jobs,
    sequenceId: '00000000-0000-4000-8000-000000000003',
    attempt: 1,
    dueAt: 0,
    runAt: 0,
    deadlineMs: 30_000,
    variables: [],
    spec: urlSpec(url),
    ...change,
  }
}

export const urlSpec = (url: string, change: object = {}, shouldFail = false): unknown => ({
  request: {
    url,
    method: 'GET',
    followRedirects: true,
    skipSSL: false,
    ipFamily: 'IPv4',
    assertions: [],
    ...change,
  },
  shouldFail,
})
