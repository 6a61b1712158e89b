/**
 * A control plane as standing orders see it, and an agent beside it on a clock of the test's: `pass` lets time go by in steps, between which
 * whatever was sent is answered. `away`: connections are refused the hard way.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as realTime } from 'node:timers/promises'
import type { Test } from 'tap'
import { agentPaths, type ClaimRequest, type ReportRequest } from '../../protocol/agent-api.ts'
import type { Job } from '../../protocol/job.ts'
import type { Report } from '../../protocol/result.ts'
import {
  type LateReport,
  LateReportRequest,
  type OrdersKnown,
  type OrdersRequest,
  type OrdersResponse,
  orderPaths,
  type StandingOrder,
} from '../../protocol/standing-order.ts'
import { compile } from '../../protocol/validate.ts'
import { type FakeClock, fakeClock } from './fake-clock.ts'
import { urlSpec } from './fake-control-plane.ts'
import { httpServer } from './servers.ts'
import { testAgent, testApiKey } from './test-agent.ts'

export const ordersLocation = '00000000-0000-4000-8000-00000000000a'

export type OrdersPlane = {
  origin: string
  /** What its clock is ahead of the agent's machine. */
  aheadMs: number
  away: boolean
  /** Connections are taken, and what is asked is answered with nothing, half of an answer, or a page of something between. */
  hangs: 'silent' | 'half' | 'page' | null
  /** 401 to everything. */
  revoked: boolean
  /** Undefined: a control plane that knows no orders. */
  known: OrdersKnown | undefined
  orders: StandingOrder[]
  removed: string[]
  /** How many orders a page holds. */
  pageSize: number
  jobs: Job[]
  claims: ClaimRequest[]
  asked: OrdersRequest[]
  reports: Report[]
  late: LateReport[]
  lateRequests: LateReportRequest[]
  renewals: number
  judge(report: LateReport): 'accepted' | 'duplicate' | 'stale' | 'refused' | 'later'
  /** Status and Retry-After of the next answers to late reports, one by one; empty: they are taken. */
  lateRefusals: { status: number; retryAfter: number }[]
  lateTimes: number[]
}

const hang = (how: 'silent' | 'half' | 'page', response: ServerResponse): void => {
  if (how === 'silent') return
  response.setHeader('content-type', how === 'half' ? 'application/json' : 'text/html')
  if (how === 'half') response.write('{"serverTime":')
  else response.end('<h1>Back soon</h1>')
}

const isLateRequest = compile(LateReportRequest)

export const ordersPlane = async (t: Test, clock: FakeClock): Promise<OrdersPlane> => {
  const serverTime = (): number => clock.now() + plane.aheadMs
  const plane: OrdersPlane = {
    ...{
      origin: '',
      aheadMs: 3_600_000,
      away: false,
      hangs: null,
      revoked: false,
      pageSize: 250,
      renewals: 0,
    },
    known: { revision: 'r1', agents: [], holdMs: 24 * 3_600_000, secondOwnerAfterMs: 15_000 },
    ...{ orders: [], removed: [], jobs: [], claims: [], asked: [], reports: [], late: [], lateRequests: [] },
    judge: () => 'accepted',
    ...{ lateRefusals: [], lateTimes: [] },
  }
  const page = ({ after }: OrdersRequest): OrdersResponse => {
    const [from = '0'] = /^\d+$/.exec(after ?? '') ?? []
    const end = Number(from) + plane.pageSize
    const isLast = end >= plane.orders.length
    return {
      serverTime: serverTime(),
      location: ordersLocation,
      whole: after === null,
      orders: plane.orders.slice(Number(from), end),
      removed: plane.removed,
      next: isLast ? null : String(end),
      revision: plane.known?.revision ?? '',
    }
  }
  const answer = async (path: string, body: unknown, response: ServerResponse): Promise<unknown> => {
    if (path === agentPaths.claim) {
      const claim = body as ClaimRequest
      plane.claims.push(claim)
      const gone = new AbortController()
      response.on('close', () => gone.abort())
      if (plane.jobs.length === 0 && claim.waitMs > 0)
        await clock.sleep(Math.min(claim.waitMs, 2000), gone.signal)
      return { leaseMs: 15_000, location: 'here', jobs: plane.jobs.splice(0), orders: plane.known }
    }
    if (path === agentPaths.renew) {
      plane.renewals += 1
      return { lost: [] }
    }
    if (path === agentPaths.release) return { released: 0 }
    if (path === agentPaths.errorEvents) return { stored: 0 }
    if (path === orderPaths.orders) {
      plane.asked.push(body as OrdersRequest)
      return page(body as OrdersRequest)
    }
    if (path === orderPaths.lateReport) {
      const checked = isLateRequest(body)
      if (!checked.ok) throw new Error(JSON.stringify(checked.violations))
      plane.lateTimes.push(clock.monotonic())
      plane.lateRequests.push(checked.value)
      plane.late.push(...checked.value.reports)
      return {
        outcomes: checked.value.reports.map((one) => ({ jobId: one.jobId, outcome: plane.judge(one) })),
      }
    }
    const { reports } = body as ReportRequest
    plane.reports.push(...reports)
    return { outcomes: reports.map(({ jobId }) => ({ jobId, outcome: 'accepted' })) }
  }
  const listen = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    if (plane.away) return void request.socket.destroy()
    if (plane.hangs !== null) return hang(plane.hangs, response)
    const body: unknown = JSON.parse(Buffer.concat(parts).toString())
    const refusal = request.url === orderPaths.lateReport ? plane.lateRefusals.shift() : undefined
    const value =
      refusal === undefined && !plane.revoked ? await answer(request.url ?? '', body, response) : null
    // It may have gone while a claim waited.
    if (plane.away) return void request.socket.destroy()
    if (plane.hangs !== null) return hang(plane.hangs, response)
    response.statusCode = plane.revoked ? 401 : (refusal?.status ?? 200)
    if (refusal !== undefined) response.setHeader('retry-after', refusal.retryAfter)
    if (refusal !== undefined) plane.lateTimes.push(clock.monotonic())
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify(
        value === null
          ? { message: 'refused by the test' }
          : { serverTime: serverTime(), ...(value as object) },
      ),
    )
  }
  const { origin } = await httpServer(t, (request, response) => {
    listen(request, response).catch((error: unknown) => {
      t.fail(String(error))
      response.destroy()
    })
  })
  return Object.assign(plane, { origin })
}

/** A URL check each `periodMs`, from the beginning of time on. */
export const standingOrder = (
  checkId: string,
  url: string,
  change: Partial<StandingOrder> = {},
): StandingOrder => ({
  checkId,
  version: 3,
  slots: {
    ...{ periodMs: 60_000, phaseMs: 0, from: 0, parallel: false },
    ...{ locations: 1, position: 0, turnAt: 0, turn: 0, pauses: [] },
  },
  retries: null,
  judgedBy: { degradedResponseTime: null, maxResponseTime: null },
  muted: false,
  job: {
    accountId: 'account',
    checkName: `check ${checkId}`,
    checkId,
    checkType: 'URL',
    runtimeId: null,
    runLocation: 'here',
    runSource: 'SCHEDULER',
    deadlineMs: 30_000,
    variables: [],
    spec: urlSpec(url),
  },
  ...change,
})

export type StandingAgent = Awaited<ReturnType<typeof standingAgent>>

type AgentChange = { env?: Record<string, string>; clock?: FakeClock }

export const standingAgent = async (
  t: Test,
  plane: OrdersPlane,
  { env = {}, clock = fakeClock() }: AgentChange = {},
) => {
  const agent = await testAgent(t, plane.origin, env, { clock })
  return { ...agent, pass: passWith(clock) }
}

/** Time goes by in steps of half a second, and after each everybody has a moment to answer. */
export const passWith =
  (clock: FakeClock) =>
  async (ms: number, stepMs = 500): Promise<void> => {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(Math.min(stepMs, left))
      for (let turn = 0; turn < 3; turn += 1) await realTime(1)
    }
  }

/** Lets time go by until it holds. */
export const passUntil = async (clock: FakeClock, what: string, holds: () => boolean): Promise<void> => {
  const pass = passWith(clock)
  for (let count = 0; !holds(); count += 1) {
    if (count > 4000) throw new Error(`${what}: not in ${count / 2} seconds`)
    await pass(500)
  }
}

export { testApiKey }
