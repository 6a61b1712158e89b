/** The endpoints that agents use (protocol/agent-api.ts), with the key of their location. */

import {
  agentPaths,
  ClaimRequest,
  ClaimResponse,
  ErrorEventsRequest,
  ErrorEventsResponse,
  ReleaseRequest,
  ReleaseResponse,
  RenewRequest,
  RenewResponse,
  ReportEnvelope,
  ReportRequest,
  ReportResponse,
} from '../../../protocol/agent-api.ts'
import type { Job } from '../../../protocol/job.ts'
import { LateReportEnvelope, LateReportRequest, orderPaths } from '../../../protocol/standing-order.ts'
import { agentKey } from '../../access/api-keys/agent-key.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import { refuseNewerStore, requireKnownStore } from '../../platform/app/newer-store.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { invalid, violation } from '../../platform/words/errors.ts'
import { canSealTo } from '../definitions/client-certificates/can-seal-to.ts'
import type { HasStandingOrders } from '../jobs/orders/order-settings.ts'
import { ordersKnown } from '../jobs/orders/orders-routes.ts'
import { noteAgent } from '../locations/agents/agent-presence.ts'
import { storeErrorEvents } from '../locations/agents/error-events.ts'
import { neededTypes } from '../locations/needed-types.ts'
import { noteLateAgent } from '../schedule/late-agents.ts'
import { claimJobs } from './claim-jobs.ts'
import type { IntakeApp } from './intake.ts'
import { leaseMs, leaseOf, releaseEarlierLife, releaseLeases, releaseOthers, renewLeases } from './leases.ts'
import { locationName } from './location-name.ts'
import { lookUntil } from './look-until.ts'
import { takeLateReports } from './take-late-reports.ts'
import { takeReports } from './take-reports.ts'

const tag = 'Agents'
const leasesBodyLimit = 4 * 1024 * 1024
const reportsBodyLimit = 64 * 1024 * 1024

const claim = route({
  method: 'POST',
  path: agentPaths.claim,
  access: agentKey,
  tag,
  summary: 'Claim jobs of the location, waiting for some to appear',
  body: ClaimRequest,
  bodyLimit: leasesBodyLimit,
  status: 200,
  response: ClaimResponse,
  handle: async (
    { body, principal, signal },
    app: App & HasWakeups & HasCipher & HasMetrics & HasStandingOrders,
  ) => {
    const location = principal.locationId
    if (body.sealTo !== undefined && !canSealTo(body.sealTo))
      throw invalid([violation('sealTo', 'key', 'is not an X25519 public key that can be sealed to')])
    await refuseNewerStore(app.db)
    if (body.fresh) await releaseEarlierLife(app, body.agentId, location)
    await noteAgent(app, location, body)
    if (body.orders !== undefined)
      noteLateAgent(app, {
        locationId: location,
        agentId: body.agentId,
        reports: body.orders.late?.reports ?? 0,
      })
    const { agentId, finished = [] } = body
    await renewLeases(
      app,
      { location, agentId },
      finished.map((lease) => ({ ...lease, finished: true })),
    )
    const waiting = { name: location, waitMs: body.waitMs, signal, asksAgain: true }
    const look = async (): Promise<Job[] | undefined> => {
      requireKnownStore(app)
      const jobs = await claimJobs(app, { location, agent: body })
      return jobs.length > 0 ? jobs : undefined
    }
    const jobs = (await lookUntil(app, waiting, look)) ?? []
    // Nobody is there to take them: the next one in line gets them without waiting for the lease to run out.
    if (signal.aborted) await releaseLeases(app, { location, agentId: body.agentId }, jobs.map(leaseOf))
    const { accountId } = principal
    const orders = await ordersKnown(app, { accountId, location, agent: body })
    const needed = body.lacks === undefined ? undefined : await neededTypes(app)(location, body.lacks)
    return {
      serverTime: app.clock.now(),
      leaseMs,
      jobs,
      location: await locationName(app)(location),
      ...(orders === undefined ? {} : { orders }),
      ...(needed === undefined ? {} : { needed }),
    }
  },
})

const holderOf = ({ agentId }: { agentId: string }, { locationId }: { locationId: string }) => ({
  location: locationId,
  agentId,
})

const renew = route({
  method: 'POST',
  path: agentPaths.renew,
  access: agentKey,
  tag,
  summary: 'Renew the leases of jobs that are held or running',
  body: RenewRequest,
  bodyLimit: leasesBodyLimit,
  status: 200,
  response: RenewResponse,
  handle: async ({ body, principal }, app) => ({
    lost: await renewLeases(app, holderOf(body, principal), body.leases),
    serverTime: app.clock.now(),
  }),
})

const release = route({
  method: 'POST',
  path: agentPaths.release,
  access: agentKey,
  tag,
  summary: 'Hand back jobs that will not be run',
  body: ReleaseRequest,
  bodyLimit: leasesBodyLimit,
  status: 200,
  response: ReleaseResponse,
  handle: async ({ body, principal }, app: App & HasWakeups) => {
    const holder = holderOf(body, principal)
    const named = await releaseLeases(app, holder, body.leases)
    const others = body.kept === undefined ? 0 : await releaseOthers(app, holder, body.kept)
    return { released: named + others, serverTime: app.clock.now() }
  },
})

const report = route({
  method: 'POST',
  path: agentPaths.report,
  access: agentKey,
  tag,
  summary: 'Report finished attempts; durable once answered',
  body: ReportRequest,
  envelope: ReportEnvelope,
  bodyLimit: reportsBodyLimit,
  status: 200,
  response: ReportResponse,
  handle: async ({ body, principal }, app: HasMetrics & IntakeApp) => ({
    outcomes: await takeReports(app, principal.locationId, body.reports),
    serverTime: app.clock.now(),
  }),
})

const lateReport = route({
  method: 'POST',
  path: orderPaths.lateReport,
  access: agentKey,
  tag,
  summary: 'Report runs that the agent made by itself; durable once answered',
  body: LateReportRequest,
  envelope: LateReportEnvelope,
  bodyLimit: reportsBodyLimit,
  status: 200,
  response: ReportResponse,
  handle: async ({ body, principal }, app: HasMetrics & IntakeApp) => {
    const { agentId, remaining } = body
    const outcomes = await takeLateReports(app, principal.locationId, body)
    noteLateAgent(app, { locationId: principal.locationId, agentId, reports: remaining ?? null })
    return { outcomes, serverTime: app.clock.now() }
  },
})

const errorEvents = route({
  method: 'POST',
  path: agentPaths.errorEvents,
  access: agentKey,
  tag,
  summary: "Report the agent's own failures",
  body: ErrorEventsRequest,
  status: 200,
  response: ErrorEventsResponse,
  handle: async ({ body, principal }, app: App & HasMetrics & HasWakeups) => {
    const { agentId, events } = body
    await storeErrorEvents(app, { locationId: principal.locationId, agentId, events })
    return { serverTime: app.clock.now(), stored: events.length }
  },
})

export const agentRoutes: Route<HasCipher & HasMetrics & HasStandingOrders & IntakeApp>[] = [
  claim,
  renew,
  release,
  report,
  lateReport,
  errorEvents,
]
