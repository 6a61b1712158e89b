/**
 * The agent's loop: claim jobs ahead of their time, start each at its `runAt`, report what was seen.
 *
 * Words: a job is *held* while we have its lease; a held job is waiting, running or reporting. Uptime jobs run in lanes,
 * and main jobs in JOB_CONCURRENCY slots (`slots.ts`). *Draining* means that nothing new is claimed or started.
 *
 * Invariants: no job starts before its `runAt` on the control plane's clock; a finished one is in the spool before anything
 * else happens with it; a job whose lease is lost is stopped and its outcome forgotten.
 */
import { type CheckType, type JobQueue, queueOf } from '../protocol/check-type.ts'
import { Job } from '../protocol/job.ts'
import type { LogLine, Report } from '../protocol/result.ts'
import { compile } from '../protocol/validate.ts'
import type { ArtifactOutbox, Taken } from './artifacts/artifact-outbox.ts'
import { runners } from './checks/index.ts'
import { keepClaiming, type Room } from './claims.ts'
import type { ControlPlane } from './control-plane.ts'
import { RunCancelled } from './deadline.ts'
import { createDueQueue } from './due-queue.ts'
import type { HeldJob } from './held-job.ts'
import type { Io } from './io.ts'
import { keepLeases, leaseOf } from './leases.ts'
import type { Levels, Metrics } from './metrics.ts'
import type { Outbox } from './outbox.ts'
import { outcomeName, runJob } from './run-job.ts'
import { maxLines } from './run-log.ts'
import { createSlots } from './slots.ts'
import { agentVersion } from './version.ts'

export type AgentOptions = {
  agentId: string
  platform: string
  io: Io
  controlPlane: ControlPlane
  metrics: Metrics
  createOutbox(onSettled: (jobId: string, outcome: string) => void): Outbox
  artifacts: ArtifactOutbox
  spoolLevels(): Omit<Levels, 'held' | 'waiting' | 'running' | 'slow' | 'connected'>
  reportError(error: Error): void
  uptimeConcurrency: number
  jobConcurrency: number
  drainTimeoutMs: number
}

export type Agent = {
  start(): void
  /** Drains: resolves when nothing runs any more and results are uploaded or, if that fails, in the spool. */
  stop(): Promise<void>
  ready(): boolean
  alive(): boolean
  levels(): Levels
}

/** Jobs held beyond what may run at once, so that those of the next seconds are here before they are due. */
const prefetch = 1000
/** A claim in one answer: its text, its bytes and its jobs are in memory at once. */
const maxClaimedUptime = 300
const standstillMs = 5 * 60_000
const uploadGraceMs = 10_000

const validateJob = compile(Job)

export const createAgent = (options: AgentOptions): Agent => {
  const { io, agentId, controlPlane, metrics, artifacts } = options
  const { clock } = io
  const held = new Map<string, HeldJob>()
  const waiting = createDueQueue<HeldJob>()
  const notStarted: Record<JobQueue, number> = { uptime: 0, main: 0 }
  const slots = createSlots({ ...options, clock, busy: io.busy, start: (one) => run(one) })
  const claiming = new AbortController()
  const working = new AbortController()
  // Short until the first claim tells, so that renewals never come late.
  let leaseMs = 1000
  let connected = false
  let everConnected = false
  let recovering = true
  let draining = false
  let turnedAt = clock.monotonic()
  let cancelTimer: (() => void) | null = null

  const outbox = options.createOutbox((jobId, outcome) => {
    metrics.uploads.inc({ outcome })
    artifacts.settled(jobId, outcome)
    // The job may have come back with a new lease in the meantime.
    if (held.get(jobId)?.state === 'reporting') held.delete(jobId)
  })

  const room = (): Room => {
    const free = (queue: JobQueue, limit: number): number =>
      Math.max(0, limit - notStarted[queue] - slots.occupied(queue))
    return {
      maxUptime: Math.min(maxClaimedUptime, free('uptime', options.uptimeConcurrency + prefetch)),
      maxMain: free('main', options.jobConcurrency),
    }
  }

  const accept = (value: unknown): void => {
    const checked = validateJob(value)
    if (checked.ok) hold(checked.value)
    else refuseJob(value, checked.violations[0]?.message ?? 'it is not valid')
  }

  const hold = (job: Job): void => {
    const queue = queueOf(job.checkType as CheckType)
    const one: HeldJob = {
      job,
      queue,
      state: 'waiting',
      controller: new AbortController(),
      renewedAt: clock.monotonic(),
    }
    lose(job.id)
    held.set(job.id, one)
    notStarted[queue] += 1
    waiting.add(job.runAt, one)
  }

  /** A job that this agent does not understand is answered if it says who it is, and never run. */
  const refuseJob = (value: unknown, problem: string): void => {
    const { id, fence } = (value ?? {}) as Partial<Job>
    io.log.error(`a job of the control plane cannot be read: ${problem}`)
    if (typeof id !== 'string' || typeof fence !== 'number') return
    const now = Math.floor(controlPlane.serverNow())
    const reason = `this agent (${agentVersion}) cannot read the job: ${problem}`
    deliver({
      jobId: id,
      fence,
      startedAt: now,
      stoppedAt: now,
      outcome: { kind: 'could-not-run', reason },
      log: [],
    })
  }

  /** Starts what is due, and sets the timer for what is next. */
  const turn = (): void => {
    cancelTimer?.()
    cancelTimer = null
    if (draining) return
    const now = controlPlane.serverNow()
    for (const one of waiting.take(now)) slots.add(one)
    slots.fill()
    const next = waiting.next()
    // Rounded up: a timer that fires a little early would turn once for nothing.
    if (next !== null) cancelTimer = clock.at(Math.max(1, Math.ceil(next - controlPlane.serverNow())), turn)
  }

  const run = async (one: HeldJob): Promise<void> => {
    const startedAt = controlPlane.serverNow()
    const began = clock.monotonic()
    one.state = 'running'
    notStarted[one.queue] -= 1
    metrics.lateness.observe(Math.max(0, startedAt - one.job.runAt) / 1000)
    const ran = await runJob(one.job, io, one.controller)
    // Not by the control plane's clock, which may be set in between.
    const stoppedAt = startedAt + clock.monotonic() - began
    if (ran.error !== null) options.reportError(ran.error)
    metrics.results.inc({ outcome: outcomeName(ran) })
    const { id, fence } = one.job
    const files = ran.artifacts.length > 0 ? await artifacts.take(id, ran.artifacts) : null
    // A lost lease has taken the job out already, and perhaps it is held again under a new one.
    if (held.get(id) === one) {
      one.state = 'reporting'
      deliver({
        jobId: id,
        fence,
        startedAt: Math.floor(startedAt),
        stoppedAt: Math.floor(stoppedAt),
        outcome: ran.outcome,
        ...(files === null ? { log: ran.log } : withFiles(ran.log, files)),
      })
    } else if (files !== null) artifacts.settled(id, 'lost')
    slots.leave(one)
    slots.fill()
  }

  const deliver = (report: Report): void => outbox.add(report.jobId, JSON.stringify(report))

  const lose = (jobId: string): void => {
    const one = held.get(jobId)
    if (one === undefined || one.state === 'reporting') return
    held.delete(jobId)
    if (one.state === 'waiting') notStarted[one.queue] -= 1
    one.controller.abort(new RunCancelled())
  }

  const release = async (jobs: HeldJob[]): Promise<void> => {
    if (jobs.length === 0) return
    for (const { job } of jobs) lose(job.id)
    const answer = await controlPlane.release({ agentId, leases: jobs.map(leaseOf) })
    if (answer.ok) io.log.info(`handed back ${jobs.length} jobs`)
    else io.log.warn(`could not hand back ${jobs.length} jobs (${answer.message}); their leases will expire`)
  }

  const inState = (state: HeldJob['state']): HeldJob[] =>
    [...held.values()].filter((one) => one.state === state)

  const start = async (): Promise<void> => {
    keepLeases(
      { agentId, io, held, leaseMs: () => leaseMs, renew: controlPlane.renew, onLost: lose },
      working.signal,
    )
    await outbox.flush(claiming.signal)
    artifacts.start()
    recovering = false
    turnedAt = clock.monotonic()
    await keepClaiming(
      {
        io,
        identity: {
          agentId,
          version: agentVersion,
          platform: options.platform,
          checkTypes: Object.keys(runners) as CheckType[],
          runtimeIds: [...io.runtimeIds],
          sealTo: io.routes.sealTo,
        },
        room,
        offer: () => {
          const standing = io.walls.known()
          return standing === null ? {} : { walls: [...standing.walls] }
        },
        claim: controlPlane.claim,
        onClaimed: (claimed) => {
          leaseMs = claimed.leaseMs
          for (const job of claimed.jobs) accept(job)
          turn()
        },
        onTurn: (succeeded) => {
          connected = succeeded
          everConnected ||= succeeded
          turnedAt = clock.monotonic()
        },
      },
      claiming.signal,
    )
  }

  const stop = async (): Promise<void> => {
    draining = true
    claiming.abort()
    cancelTimer?.()
    slots.close()
    io.log.info(`draining: ${slots.running()} jobs running, ${inState('waiting').length} to hand back`)
    await release(inState('waiting'))
    await slots.untilIdle(options.drainTimeoutMs)
    await release(inState('running'))
    await slots.untilIdle(1000)
    const grace = new AbortController()
    const cancelGrace = clock.at(uploadGraceMs, () => grace.abort())
    const uploaded = (await outbox.flush(grace.signal)) && (await artifacts.flush(grace.signal))
    cancelGrace()
    working.abort()
    outbox.stop()
    artifacts.stop()
    io.log.info(
      uploaded
        ? 'drained: all results are uploaded'
        : 'drained: results and artifacts that are not uploaded stay in SPOOL_DIR',
    )
  }

  return {
    start,
    stop,
    ready: () => everConnected && !draining,
    alive: () => draining || recovering || clock.monotonic() - turnedAt < standstillMs,
    levels: () => ({
      held: held.size,
      waiting: notStarted.uptime + notStarted.main,
      running: slots.running(),
      slow: slots.slow(),
      connected: connected ? 1 : 0,
      ...options.spoolLevels(),
    }),
  }
}

/** A log has a limit: what is said of the files is not what goes. */
const withFiles = (log: readonly LogLine[], { notes, lines }: Taken): Pick<Report, 'log' | 'artifacts'> => ({
  log: [...log.slice(0, maxLines - lines.length), ...lines],
  artifacts: notes,
})
