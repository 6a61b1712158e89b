/** Puts together what an agent needs while its control plane is away: standing orders, late reports, and whom to tell. */
import { join } from 'node:path'
import type { Metrics } from '../base/metrics.ts'
import { offeredTypes } from '../checks/index.ts'
import type { AloneParts } from '../jobs/alone.ts'
import { createFallbackWebhook, type FallbackWebhook } from '../orders/fallback-webhook.ts'
import { openLateBatches } from '../orders/late-batches.ts'
import { createPostFallback } from '../orders/post-fallback.ts'
import { createStandingOrders, type StandingOrders } from '../orders/standing-orders.ts'
import type { ControlPlane } from '../reporting/control-plane.ts'
import type { Config } from './config.ts'
import { createDispatcher } from './dispatcher.ts'
import type { RealIo } from './real-io.ts'

type PartsOptions = {
  agentId: string
  config: Config
  io: RealIo
  controlPlane: ControlPlane
  metrics: Metrics
  /** What the folder may hold beside results. */
  capacity(): number
  location(): string | null
  reportError(error: Error): void
}

/** `bytes`: on disk. */
type ClosableParts = AloneParts & { bytes(): number; close(): Promise<void> }

export const createAloneParts = (options: PartsOptions): ClosableParts => {
  const { agentId, config, io, controlPlane, metrics, capacity, reportError } = options
  const { fallback } = config
  const orders = createStandingOrders({
    dir: config.spoolDir,
    agentId,
    apiKey: config.apiKey,
    io,
    question: () => ({
      agentId,
      checkTypes: offeredTypes(io),
      ...io.offeredRuntimes(),
      sealTo: io.egressRoutes.sealTo,
    }),
    isSettled: () => io.browsers.known()?.wasLate === false,
    ask: controlPlane.orders,
    openCertificate: io.egressRoutes.certificates.open,
    clockAheadMs: () => Math.round(controlPlane.serverNow() - io.clock.now()),
  })
  const known = orders.known()
  if (known !== null) controlPlane.assumeAhead(known.clockAheadMs)
  const late = openLateBatches({
    dir: join(config.spoolDir, 'late'),
    capacity: () => capacity() - orders.journalBytes(),
    io,
    onDropped: (count) => metrics.lateUploads.inc({ outcome: 'dropped' }, count),
    onDiskError: reportError,
  })
  const dispatcher = fallback === null ? null : createDispatcher({ ...config, controlPlaneUrl: fallback.url })
  return {
    orders,
    late,
    fallback:
      dispatcher === null || fallback === null ? null : fallbackOf(options, { orders, fallback, dispatcher }),
    bytes: () => late.bytes() + orders.journalBytes(),
    close: async () => {
      await orders.settled()
      await dispatcher?.destroy()
    },
  }
}

type FallbackParts = {
  orders: StandingOrders
  fallback: NonNullable<Config['fallback']>
  dispatcher: ReturnType<typeof createDispatcher>
}

const fallbackOf = (
  { agentId, io, controlPlane, metrics, location }: PartsOptions,
  { orders, fallback, dispatcher }: FallbackParts,
): FallbackWebhook =>
  createFallbackWebhook({
    ...fallback,
    agentId,
    io,
    post: createPostFallback(fallback.url, { dispatcher, clock: io.clock }),
    serverNow: () => Math.floor(controlPlane.serverNow()),
    location,
    told: orders.told,
    setTold: orders.setTold,
    onSent: (outcome) => metrics.fallbackMessages.inc({ outcome }),
  })
