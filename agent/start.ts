import type { Server } from 'node:http'
import type { Dispatcher } from 'undici'
import { wallNames } from '../protocol/walls.ts'
import { type Agent, createAgent } from './agent.ts'
import { createArtifactOutbox } from './artifacts/artifact-outbox.ts'
import { openArtifactSpool } from './artifacts/artifact-spool.ts'
import type { Config } from './config.ts'
import { createControlPlane } from './control-plane.ts'
import { startHealth } from './health.ts'
import { type Self, takeIdentity } from './identity.ts'
import type { Io } from './io.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createOutbox } from './outbox.ts'
import { createReportError } from './report-error.ts'
import { openSpool } from './spool.ts'
import { missingWalls } from './walls/missing-walls.ts'
import { describeWalls } from './walls/walls.ts'

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
  const artifactSpool = openArtifactSpool({
    dir: config.spoolDir,
    room: () => config.spoolMaxBytes - spool.stats().bytes,
    io,
  })
  const agentId = takeIdentity(config.spoolDir, self, io)
  const reportError = createReportError({
    enabled: config.externalObservability,
    platform,
    runtime,
    io,
    at: controlPlane.serverNow,
    send: (events) => controlPlane.errorEvents({ agentId, events }),
  })
  const artifacts = createArtifactOutbox({
    spool: artifactSpool,
    io,
    controlPlane,
    onSettled: (outcome) => metrics.artifacts.inc({ outcome }),
    onDiskError: reportError,
  })
  const agent = createAgent({
    agentId,
    platform,
    io,
    controlPlane,
    metrics,
    createOutbox: (onSettled) =>
      createOutbox({ agentId, spool, io, send: controlPlane.report, onSettled, onDiskError: reportError }),
    artifacts,
    spoolLevels: () => {
      const { batches, bytes, dropped } = spool.stats()
      const { files, bytes: artifactBytes } = artifactSpool.stats()
      return {
        spoolBatches: batches,
        spoolBytes: bytes,
        spoolDropped: dropped,
        artifactFiles: files,
        artifactBytes,
      }
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
  tellWalls({ io, metrics, isolation: config.scriptIsolation })
  io.capture.start()
  agent.start()
  const stop = async (): Promise<void> => {
    await agent.stop()
    await io.endScripts()
    await io.capture.stop()
    health.closeAllConnections()
    health.close()
    await controlPlane.close()
  }
  return { agent, health, stop }
}

/** Nobody waits for it: checks without code of users are due meanwhile. */
const tellWalls = async ({
  io,
  metrics,
  isolation,
}: {
  io: Pick<Io, 'walls' | 'log'>
  metrics: Pick<Metrics, 'walls'>
  isolation: Config['scriptIsolation']
}): Promise<void> => {
  const standing = await io.walls.standing()
  for (const wall of wallNames) metrics.walls.set({ wall }, standing.walls.includes(wall) ? 1 : 0)
  io.log.info(describeWalls(standing))
  const problem = isolation === 'required' ? missingWalls(standing.walls) : null
  if (problem !== null) io.log.error(`no code of users will run here: ${problem}`)
}
