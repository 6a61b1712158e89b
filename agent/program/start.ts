import type { Server } from 'node:http'
import type { Dispatcher } from 'undici'
import { listeningError } from '../../protocol/listening-error.ts'
import { createArtifactOutbox } from '../artifacts/artifact-outbox.ts'
import { type ArtifactSpool, openArtifactSpool } from '../artifacts/artifact-spool.ts'
import { createMetrics, type Metrics } from '../base/metrics.ts'
import { agentVersion } from '../base/version.ts'
import { describeBrowsers } from '../browser/describe-browsers.ts'
import { describeIsolation } from '../isolation/isolation.ts'
import { isolationLayers, missingIsolation } from '../isolation/missing-isolation.ts'
import { type Agent, createAgent } from '../jobs/agent.ts'
import type { AgentOptions } from '../jobs/agent-state.ts'
import { createOwnNetwork } from '../jobs/own-network.ts'
import { createProbeEndpoint } from '../probe/probe-endpoint.ts'
import { type ControlPlane, createControlPlane } from '../reporting/control-plane.ts'
import { createOutbox } from '../reporting/outbox.ts'
import { openSpool, type Spool } from '../reporting/spool.ts'
import { createAloneParts } from './alone-parts.ts'
import { type Config, ConfigError } from './config.ts'
import { firstHop } from './dispatcher.ts'
import { type HealthState, startHealth } from './health.ts'
import { type OwnProcess, takeIdentity } from './identity.ts'
import type { RealIo } from './real-io.ts'
import { createReportError, type ReportError } from './report-error.ts'

type StartOptions = {
  config: Config
  io: RealIo
  dispatcher: Dispatcher
  /** Such as `linux-x64`, and `node v24.1.0`. */
  platform: string
  runtime: string
  /** Such as `v24.1.0`. */
  nodeVersion: string
  self: OwnProcess
}

/** `stop` drains, then closes everything that was opened. */
export type RunningAgent = { agent: Agent; health: Server; stop(): Promise<void> }

/** Puts the agent's parts together and starts them. Rejects when the spool or the health port cannot be used. */
export const startAgent = async (options: StartOptions): Promise<RunningAgent> => {
  const { config, io } = options
  const parts = createParts(options)
  const { agent, metrics, spool, controlPlane, alone } = parts
  metrics.watch(agent.levels)
  io.loopWatch.onStall((stallMs) => metrics.stalls.observe(stallMs / 1000))
  const probes = { ready: agent.ready, alive: agent.alive, inWords: agent.inWords, metrics: metrics.render }
  const probe = config.probe === null ? null : createProbeEndpoint(config.probe, io)
  const health = await listen({ ...probes, metricsType: metrics.contentType, probe }, config)
  if (spool.leftBehind.length > 0)
    io.log.info(`sending ${spool.leftBehind.length} batches of results that an earlier run left`)
  const isolationTold = tellIsolation({ io, metrics, required: config.scriptIsolation === 'required' })
  tellBrowsers(io, metrics)
  io.capture.start()
  agent.start()
  const stop = async (): Promise<void> => {
    await agent.stop()
    // Whoever is stopped while the isolation is being tried removes what that needs first.
    await isolationTold
    await io.endScripts()
    await io.browsers.end()
    await io.model?.close()
    io.judging.close()
    await io.capture.stop()
    health.closeAllConnections()
    health.close()
    await alone.close()
    await controlPlane.close()
  }
  return { agent, health, stop }
}

const createParts = (options: StartOptions) => {
  const { config, io, dispatcher, self, platform } = options
  const metrics = createMetrics()
  const ownNetwork = createOwnNetwork({
    io,
    controlPlane: firstHop(config),
    onJudged: () => metrics.ownNetwork.inc(),
  })
  const controlPlane = createControlPlane({
    url: config.controlPlaneUrl,
    apiKey: config.apiKey,
    dispatcher,
    io,
    observe: (call, seconds, outcome) => {
      metrics.calls.observe({ call, outcome }, seconds)
      if (outcome === 'ok') ownNetwork.heard()
    },
    onAnswer: (call, serverTime) => agent.heard(call, serverTime),
  })
  io.suites.fetchWith(controlPlane.codeBundle)
  const spools = openSpools(config, io, () => alone.bytes())
  const { spool } = spools
  const agentId = takeIdentity(config.spoolDir, self, io)
  const reportError = reportErrorOf(options, controlPlane, agentId)
  let location: string | null = null
  const alone = createAloneParts({
    ...{ agentId, config, io, controlPlane, metrics, reportError },
    capacity: () => config.spoolMaxBytes - spool.stats().bytes,
    location: () => location,
  })
  const tellBuild = showBuild(metrics, options)
  const agent: Agent = createAgent({
    ...{ agentId, platform, io, controlPlane, metrics },
    createOutbox: (onSettled) =>
      createOutbox({ agentId, spool, io, send: controlPlane.report, onSettled, onDiskError: reportError }),
    artifacts: createArtifactOutbox({
      spool: spools.artifactSpool,
      io,
      controlPlane,
      onSettled: (outcome) => metrics.artifacts.inc({ outcome }),
      onDiskError: reportError,
    }),
    spoolLevels: () => levelsOf(spools),
    notDurable: spool.notDurable,
    reportError,
    onLocation: (name) => {
      location = name
      tellBuild(name)
    },
    ownNetwork,
    parts: alone,
    uptimeConcurrency: config.uptimeConcurrency,
    jobConcurrency: config.jobConcurrency,
    drainTimeoutMs: config.drainTimeoutMs,
  })
  return { agent, metrics, spool, controlPlane, alone }
}

/** Shows what runs here, and once it is known where. */
const showBuild = ({ buildInfo }: Metrics, { config, nodeVersion }: StartOptions) => {
  const revision = config.buildRevision === null ? {} : { revision: config.buildRevision }
  const build = { version: agentVersion, ...revision, node: nodeVersion }
  buildInfo.set(build, 1)
  let shown = ''
  return (location: string): void => {
    if (location === shown) return
    shown = location
    buildInfo.reset()
    buildInfo.set({ ...build, location }, 1)
  }
}

type Spools = { spool: Spool; artifactSpool: ArtifactSpool }

/** They share one folder and its limit: files get what results leave of it, late ones included. */
const openSpools = (
  { spoolDir: dir, spoolMaxBytes: maxBytes }: Config,
  io: RealIo,
  lateBytes: () => number,
): Spools => {
  const spool = openSpool({ dir, capacity: () => maxBytes, io })
  const capacity = (): number => maxBytes - spool.stats().bytes - lateBytes()
  return { spool, artifactSpool: openArtifactSpool({ dir, capacity, io }) }
}

const levelsOf = ({ spool, artifactSpool }: Spools): ReturnType<AgentOptions['spoolLevels']> => {
  const { batches, bytes, dropped } = spool.stats()
  const { files, bytes: artifactBytes } = artifactSpool.stats()
  return {
    spoolBatches: batches,
    spoolBytes: bytes,
    spoolDropped: dropped,
    spoolDurable: spool.notDurable() === null ? 1 : 0,
    artifactFiles: files,
    artifactBytes,
  }
}

const reportErrorOf = (
  { config, io, platform, runtime }: StartOptions,
  controlPlane: ControlPlane,
  agentId: string,
): ReportError =>
  createReportError({
    enabled: config.externalObservability,
    platform,
    runtime,
    io,
    at: controlPlane.serverNow,
    send: (events) => controlPlane.errorEvents({ agentId, events }),
  })

const listen = async (probes: HealthState, config: Config): Promise<Server> => {
  const { healthPort: port, healthHost } = config
  try {
    return await startHealth(probes, port, healthHost)
  } catch (error) {
    const settings = { hostSetting: 'AGENT_HEALTH_HOST', portSetting: 'AGENT_HEALTH_PORT' }
    const listening = { ...settings, host: healthHost ?? 'all addresses', port }
    throw new ConfigError([listeningError(error as NodeJS.ErrnoException, listening)])
  }
}

type IsolationTold = {
  io: Pick<RealIo, 'isolation' | 'log'>
  metrics: Pick<Metrics, 'isolation'>
  required: boolean
}

/** Nobody waits for it: checks without code of users are due meanwhile. */
const tellIsolation = async ({ io, metrics, required }: IsolationTold): Promise<void> => {
  const status = await io.isolation.status()
  for (const layer of isolationLayers) metrics.isolation.set({ layer }, status.layers.includes(layer) ? 1 : 0)
  io.log.info(describeIsolation(status))
  const problem = required ? missingIsolation(status.layers) : null
  if (problem !== null) io.log.error(`no code of users will run here: ${problem}`)
}

const tryAgainMs = 60_000

/** After the isolation, without which it would be tried in vain; nobody waits for it either. */
const tellBrowsers = async (io: RealIo, metrics: Pick<Metrics, 'browsers'>): Promise<void> => {
  await io.isolation.status()
  let status = await io.browsers.status(io)
  while (status.wasLate) {
    io.log.warn(`no browser checks here for now, it is tried again in a minute: ${status.problem}`)
    await io.clock.sleep(tryAgainMs)
    status = await io.browsers.status(io)
  }
  const { library, chromium } = status
  metrics.browsers.set({ part: 'playwright' }, library ? 1 : 0)
  metrics.browsers.set({ part: 'chromium' }, chromium === null ? 0 : 1)
  metrics.browsers.set({ part: 'sandbox' }, chromium?.sandbox === true ? 1 : 0)
  io.log.info(describeBrowsers(status))
  if (chromium !== null && io.model !== null)
    io.log.info(`agentic checks with the model ${io.model.settings.model}`)
}
