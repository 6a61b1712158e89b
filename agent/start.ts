import type { Server } from 'node:http'
import type { Dispatcher } from 'undici'
import { type Agent, createAgent } from './agent.ts'
import type { Config } from './config.ts'
import { createControlPlane } from './control-plane.ts'
import { startHealth } from './health.ts'
import { type Self, takeIdentity } from './identity.ts'
import type { Io } from './io.ts'
import { createMetrics } from './metrics.ts'
import { createOutbox } from './outbox.ts'
import { createReportError } from './report-error.ts'
import { openSpool } from './spool.ts'

export type StartOptions = {
  config: Config
  io: Io
  dispatcher: Dispatcher
  /** Such as `linux-x64`, and `node v24.1.0`. */
  platform: string
  runtime: string
  self: Self
}

/** `stop` drains, then closes everything that was opened. */
export type Started = { agent: Agent; health: Server; stop(): Promise<void> }

/** Puts the agent's parts together and starts them. Rejects when the spool or the health port cannot be used. */
export const startAgent = async ({
  config,
  io,
  dispatcher,
  platform,
  runtime,
  self,
}: StartOptions): Promise<Started> => {
  const metrics = createMetrics()
  const controlPlane = createControlPlane({
    url: config.controlPlaneUrl,
    apiKey: config.apiKey,
    dispatcher,
    io,
    observe: (call, seconds, outcome) => metrics.calls.observe({ call, outcome }, seconds),
  })
  const spool = openSpool({ dir: config.spoolDir, maxBytes: config.spoolMaxBytes, io })
  const agentId = takeIdentity(config.spoolDir, self, io)
  const reportError = createReportError({
    enabled: config.externalObservability,
    platform,
    runtime,
    io,
    at: controlPlane.serverNow,
    send: (events) => controlPlane.errorEvents({ agentId, events }),
  })
  const agent = createAgent({
    agentId,
    platform,
    io,
    controlPlane,
    metrics,
    createOutbox: (onSettled) =>
      createOutbox({ agentId, spool, io, send: controlPlane.report, onSettled, onDiskError: reportError }),
    spoolLevels: () => {
      const { batches, bytes, dropped } = spool.stats()
      return { spoolBatches: batches, spoolBytes: bytes, spoolDropped: dropped }
    },
    reportError,
    uptimeConcurrency: config.uptimeConcurrency,
    jobConcurrency: config.jobConcurrency,
    drainTimeoutMs: config.drainTimeoutMs,
  })
  metrics.watch(agent.levels)
  const health = await startHealth(
    { ready: agent.ready, alive: agent.alive, metrics: metrics.render, metricsType: metrics.contentType },
    config.healthPort,
    config.healthHost,
  )
  if (spool.leftBehind.length > 0)
    io.log.info(`sending ${spool.leftBehind.length} batches of results that an earlier run left`)
  agent.start()
  const stop = async (): Promise<void> => {
    await agent.stop()
    health.closeAllConnections()
    health.close()
    await controlPlane.close()
  }
  return { agent, health, stop }
}
