/** Which jobs this agent holds: how many more it has capacity for, taking them, starting those that are due, giving them up. */
import { type CheckType, type JobQueue, queueOf } from '../../protocol/check-type.ts'
import { Job, textLength } from '../../protocol/job.ts'
import { compile } from '../../protocol/validate.ts'
import { RunCancelled } from '../base/deadline.ts'
import { agentVersion } from '../base/version.ts'
import type { AgentState } from './agent-state.ts'
import type { Capacity } from './claims.ts'
import type { HeldJob } from './held-job.ts'
import { hasLapsed, leaseOf } from './leases.ts'
import { deliver } from './run-held-job.ts'

/** Jobs held beyond what may run at once, so that those of the next seconds are here before they are due. */
const prefetch = 1000
/** A claim in one answer: its text, its bytes and its jobs are in memory at once. */
const maxClaimedUptime = 300

/** Characters of all held jobs. An ordinary one has one or two thousand. */
const maxHeldLength = 256 * 1024 * 1024

const validateJob = compile(Job)

/** How many jobs of each queue the next claim may bring. */
export const capacityOf = (state: AgentState): Capacity => {
  if (heldLength(state) >= maxHeldLength) return { maxUptime: 0, maxMain: 0 }
  const { uptimeConcurrency, jobConcurrency } = state.options
  return {
    maxUptime: Math.min(maxClaimedUptime, freeIn(state, 'uptime', uptimeConcurrency + prefetch)),
    maxMain: freeIn(state, 'main', jobConcurrency),
  }
}

const heldLength = ({ held }: AgentState): number => {
  let length = 0
  for (const one of held.values()) length += one.length
  return length
}

const freeIn = ({ notStarted, slots }: AgentState, queue: JobQueue, limit: number): number =>
  Math.max(0, limit - notStarted[queue] - slots.occupied(queue))

/** Holds a job of an answer of the control plane until it is due. One that cannot be read is answered. */
export const acceptJob = (state: AgentState, value: unknown): void => {
  const checked = validateJob(value)
  if (!checked.ok) refuseJob(state, value, checked.violations[0]?.message ?? 'it is not valid')
  else if (!goOnWith(state, checked.value)) holdJob(state, checked.value)
}

const holdJob = (state: AgentState, job: Job): void => {
  loseJob(state, job.id)
  state.alone.noteJob(job)
  const one = holdAs(state, job, 'waiting')
  state.notStarted[one.queue] += 1
  state.waiting.add(job.runAt, one)
}

const holdAs = ({ held, options }: AgentState, job: Job, state: HeldJob['state']): HeldJob => {
  const one: HeldJob = {
    job,
    queue: queueOf(job.checkType as CheckType),
    state,
    controller: new AbortController(),
    renewedAt: options.io.clock.monotonic(),
    length: textLength(job),
    lapsed: false,
    isRunAlone: false,
    onReport: null,
  }
  held.set(job.id, one)
  return one
}

/**
 * A job that this agent has begun and is given again: its lease ran out while the agent stood, and its report will carry the new one; or
 * the agent ran it while it was alone, and a late report takes its place. It is not begun a second time. Whether it was such a job.
 */
const goOnWith = (state: AgentState, job: Job): boolean => {
  const { io } = state.options
  const { id, fence } = job
  const one = state.held.get(id)
  if (one !== undefined && one.state !== 'waiting') {
    one.job = { ...one.job, fence }
    one.renewedAt = io.clock.monotonic()
    one.lapsed = false
    io.log.warn(`the lease of a job that is ${one.state} had run out; it goes on with a new one`)
    return true
  }
  const alone = state.alone.runOf(job)
  if (alone !== null) {
    holdAs(state, job, alone).isRunAlone = true
    return true
  }
  const stale = state.staleReports.take(id)
  // One that is being stopped is left alone: its lease runs out, and it is offered again.
  if (stale === null) return state.stopping.has(id)
  holdAs(state, job, 'reporting')
  // Its files went when it was refused.
  const { artifacts: _, ...report } = stale
  deliver(state, { ...report, fence })
  return true
}

/** A job that this agent does not understand is answered if it says who it is, and never run. */
const refuseJob = (state: AgentState, value: unknown, problem: string): void => {
  const { io, controlPlane } = state.options
  const { id, fence } = (value ?? {}) as Partial<Job>
  io.log.error(`a job of the control plane cannot be read: ${problem}`)
  if (typeof id !== 'string' || typeof fence !== 'number') return
  const now = Math.floor(controlPlane.serverNow())
  const reason = `this agent (${agentVersion}) cannot read the job: ${problem}`
  deliver(state, {
    jobId: id,
    fence,
    startedAt: now,
    stoppedAt: now,
    outcome: { kind: 'could-not-run', reason },
    log: [],
  })
}

/** Starts what is due, and sets the timer for what is next. */
export const startDueJobs = (state: AgentState): void => {
  state.cancelTimer?.()
  state.cancelTimer = null
  if (state.draining) return
  const { waiting, slots, leaseMs } = state
  const { io, controlPlane } = state.options
  const now = controlPlane.serverNow()
  for (const one of waiting.take(now)) {
    // The loop stood for longer than a lease: the job is offered anew, perhaps to others, who shall not do it twice.
    if (now - one.job.runAt >= leaseMs && hasLapsed(one, io.clock.monotonic(), leaseMs))
      loseJob(state, one.job.id)
    else slots.add(one)
  }
  slots.fill()
  const next = waiting.next()
  if (next === null) return
  // Rounded up: a timer that fires a little early would turn once for nothing.
  const delayMs = Math.max(1, Math.ceil(next - controlPlane.serverNow()))
  state.cancelTimer = io.clock.at(delayMs, () => startDueJobs(state))
}

/** The lease is gone: the run is stopped and its outcome forgotten. One that is finished is reported all the same. */
const loseJob = (state: AgentState, jobId: string): void => {
  const one = state.held.get(jobId)
  if (one === undefined || (one.state === 'reporting' && !one.isRunAlone)) return
  state.held.delete(jobId)
  if (one.isRunAlone) return
  if (one.state === 'waiting') state.notStarted[one.queue] -= 1
  else state.stopping.add(jobId)
  one.controller.abort(new RunCancelled())
}

/** What the control plane says of a lease that it did not renew. */
export const onLeaseLost = (state: AgentState, one: HeldJob, lapsed: boolean): void => {
  if (state.held.get(one.job.id) !== one) return
  // What was sent cannot be taken back: it is better to know what came of it.
  if (lapsed && one.state === 'running' && !one.isRunAlone) one.lapsed = true
  else loseJob(state, one.job.id)
}

/**
 * Hands leases back to the control plane, so that others may have the jobs at once, and with them whatever a claim that was broken off has
 * brought without our knowing.
 */
export const releaseJobs = async (state: AgentState, jobs: HeldJob[]): Promise<void> => {
  if (jobs.length === 0 && !state.connected) return
  for (const { job } of jobs) loseJob(state, job.id)
  const { io, controlPlane, agentId } = state.options
  const kept = [...state.held.values()].filter(({ isRunAlone }) => !isRunAlone).map(leaseOf)
  const answer = await controlPlane.release({ agentId, leases: jobs.map(leaseOf), kept })
  if (jobs.length === 0) return
  if (answer.ok) io.log.info(`handed back ${jobs.length} jobs`)
  else io.log.warn(`could not hand back ${jobs.length} jobs (${answer.message}); their leases will expire`)
}

/** In the order of their claim. */
export const jobsInState = ({ held }: AgentState, wanted: HeldJob['state']): HeldJob[] =>
  [...held.values()].filter(({ state }) => state === wanted)
