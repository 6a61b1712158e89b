/**
 * The agent's loop: claim jobs ahead of their time, start each at its `runAt`, report what was seen.
 *
 * Words: a job is *held* while we have its lease; a held job is waiting, running or reporting (`hold-jobs.ts`,
 * `run-held-job.ts`). Uptime jobs run in two pools, and main jobs in JOB_CONCURRENCY slots (`slots.ts`). *Draining* means
 * that nothing new is claimed or started.
 *
 * Invariants: no job starts before its `runAt` on the control plane's clock; a finished one is in the spool before anything
 * else happens with it; a job whose lease is lost is stopped and its outcome forgotten.
 */

import { createBackOff } from '../base/back-off.ts'
import type { Levels } from '../base/metrics.ts'
import { agentVersion } from '../base/version.ts'
import { offeredTypes, typesWithoutBrowser } from '../checks/index.ts'
import { createStaleReports } from '../reporting/stale-reports.ts'
import type { AgentCore, AgentOptions, AgentState } from './agent-state.ts'
import { type ClaimOptions, keepClaiming } from './claims.ts'
import { createAlone } from './create-alone.ts'
import { createDueQueue } from './due-queue.ts'
import type { HeldJob } from './held-job.ts'
import { acceptJob, capacityOf, jobsInState, onLeaseLost, releaseJobs, startDueJobs } from './hold-jobs.ts'
import { keepLeases, leaseOf } from './leases.ts'
import { runHeldJob, settleReport } from './run-held-job.ts'
import { createSlots } from './slots.ts'

export type Agent = {
  start(): void
  /** Drains: resolves when nothing runs any more and results are uploaded or, if that fails, in the spool. */
  stop(): Promise<void>
  /** The first poll has succeeded, the agent is not draining, and it has its browser if its location needs one. */
  ready(): boolean
  /** The loop goes round. */
  alive(): boolean
  /** The control plane has answered a call. */
  heard(call: string, serverTime: number): void
  /** What is worth knowing of it, a sentence each. */
  inWords(): string[]
  levels(): Levels
}

const standstillMs = 5 * 60_000
const uploadGraceMs = 10_000

/** An agent that has not been started. It does nothing until `start`, and cannot be started again after `stop`. */
export const createAgent = (options: AgentOptions): Agent => {
  const state = createState(options)
  return {
    start: () => start(state),
    stop: () => stop(state),
    ready: () => state.everConnected && !state.draining && withoutBrowser(state) === null,
    alive: () => isAlive(state),
    heard: state.alone.heard,
    inWords: () => inWords(state),
    levels: () => levelsOf(state),
  }
}

const createState = (options: AgentOptions): AgentState => {
  const { io } = options
  const state: AgentCore = {
    options,
    held: new Map<string, HeldJob>(),
    stopping: new Set(),
    staleReports: createStaleReports(io.clock),
    waiting: createDueQueue<HeldJob>(),
    notStarted: { uptime: 0, main: 0 },
    slots: createSlots({
      ...options,
      clock: io.clock,
      busy: io.busy,
      start: (one) => runHeldJob(whole, one),
    }),
    outbox: options.createOutbox((item, outcome) => settleReport(whole, item, outcome)),
    claimBackOff: createBackOff(io),
    claiming: new AbortController(),
    working: new AbortController(),
    // Short until the first claim tells, so that renewals never come late.
    leaseMs: 1000,
    connected: false,
    everConnected: false,
    recovering: true,
    draining: false,
    needed: [],
    turnedAt: io.clock.monotonic(),
    cancelTimer: null,
  }
  const whole: AgentState = Object.assign(state, { alone: createAlone(state) })
  return whole
}

const start = async (state: AgentState): Promise<void> => {
  const { agentId, io, controlPlane, artifacts } = state.options
  keepLeases(
    {
      agentId,
      io,
      held: state.held,
      leaseMs: () => state.leaseMs,
      renew: controlPlane.renew,
      onLost: (one, lapsed) => onLeaseLost(state, one, lapsed),
    },
    state.working.signal,
  )
  const waiting = await state.alone.open()
  state.alone.start()
  await state.outbox.flush(state.claiming.signal)
  artifacts.start(waiting)
  state.recovering = false
  state.turnedAt = io.clock.monotonic()
  await keepClaiming(claimOptions(state), state.claiming.signal)
}

const claimOptions = (state: AgentState): ClaimOptions => {
  const { agentId, platform, io, controlPlane } = state.options
  return {
    io,
    identity: {
      agentId,
      version: agentVersion,
      platform,
      checkTypes: offeredTypes(io),
      ...io.offeredRuntimes(),
      suiteEngines: [...io.suites.engines],
      sealTo: io.egressRoutes.sealTo,
    },
    capacity: () => capacityOf(state),
    offer: () => {
      const status = io.isolation.known()
      const lacks = typesWithoutBrowser(io)
      return {
        checkTypes: offeredTypes(io),
        ...io.offeredRuntimes(),
        ...(status === null ? {} : { isolation: [...status.layers] }),
        orders: state.alone.offer(),
        ...(lacks.length === 0 ? {} : { lacks }),
        // Otherwise reports are on their way for milliseconds, and renewals tell of those that are not.
        ...(state.connected ? {} : { finished: jobsInState(state, 'reporting').map(leaseOf) }),
      }
    },
    isSettled: () => io.browsers.known() !== null,
    claim: controlPlane.claim,
    backOff: state.claimBackOff,
    onFailed: state.alone.onFailed,
    onClaimed: (answer) => {
      const { leaseMs, jobs, location } = answer
      if (location !== undefined) state.options.onLocation(location)
      state.leaseMs = leaseMs
      state.needed = answer.needed ?? []
      for (const job of jobs) acceptJob(state, job)
      startDueJobs(state)
      state.alone.onClaimed(answer)
    },
    onRecovered: () => {
      state.outbox.wake()
      state.options.artifacts.wake()
    },
    onPoll: (succeeded) => {
      state.connected = succeeded
      state.everConnected ||= succeeded
      state.turnedAt = io.clock.monotonic()
    },
  }
}

const stop = async (state: AgentState): Promise<void> => {
  const { slots, outbox } = state
  const { io, artifacts, drainTimeoutMs } = state.options
  state.draining = true
  state.claiming.abort()
  state.cancelTimer?.()
  slots.close()
  state.alone.close()
  const waiting = jobsInState(state, 'waiting')
  io.log.info(`draining: ${slots.running()} jobs running, ${waiting.length} to hand back`)
  await releaseJobs(state, waiting)
  await slots.untilIdle(drainTimeoutMs)
  state.alone.cancel()
  await releaseJobs(state, jobsInState(state, 'running'))
  await slots.untilIdle(1000)
  const uploaded = await uploadInTime(state)
  state.working.abort()
  outbox.stop()
  artifacts.stop()
  state.alone.stop()
  io.log.info(
    uploaded
      ? 'drained: all results are uploaded'
      : 'drained: results and artifacts that are not uploaded stay in SPOOL_DIR',
  )
}

/** Whether all results and their files have been sent within the time that a stop has for them. */
const uploadInTime = async ({ outbox, options }: AgentState): Promise<boolean> => {
  const grace = new AbortController()
  const cancel = options.io.clock.at(uploadGraceMs, () => grace.abort())
  const uploaded = (await outbox.flush(grace.signal)) && (await options.artifacts.flush(grace.signal))
  cancel()
  return uploaded
}

const inWords = (state: AgentState): string[] => {
  const { alone, options } = state
  const notDurable = options.notDurable()
  const words = [alone.inWords(), withoutBrowser(state), notDurable && `not durable: ${notDurable}`]
  return words.filter((one) => one !== null)
}

/** Null: it has one, or nobody needs it. */
const withoutBrowser = ({ needed, options: { io } }: AgentState): string | null => {
  const missed = typesWithoutBrowser(io).filter((type) => needed.includes(type))
  if (missed.length === 0) return null
  const why = io.browsers.known()?.problem ?? 'it has not been tried yet'
  return `no browser, and this location has checks that need one (${missed.join(', ')}): ${why}`
}

const isAlive = ({ draining, recovering, turnedAt, options }: AgentState): boolean =>
  draining || recovering || options.io.clock.monotonic() - turnedAt < standstillMs

const levelsOf = ({ held, notStarted, slots, connected, alone, options }: AgentState): Levels => ({
  held: held.size,
  waiting: notStarted.uptime + notStarted.main,
  running: slots.running(),
  slow: slots.slow(),
  connected: connected ? 1 : 0,
  ...alone.levels(),
  ...options.spoolLevels(),
})
