/**
 * Runs standing orders while this agent is alone, in the same slots and pools as jobs of the control plane.
 *
 * Words: a *slot* is a due time of a check in this location; it is this agent's at once, after a delay (as its second owner), or not at all
 * (`orders/ownership.ts`). A *run* is a slot with its attempts. What has begun is carried on when the control plane is back; nothing new begins.
 *
 * Invariants: a slot is begun once, and not while an earlier run of its check still runs here; what a job of the control plane has run is not run again.
 */
import { type CheckType, queueOf } from '../../protocol/check-type.ts'
import { evaluate } from '../../protocol/evaluate.ts'
import { type Job, textLength } from '../../protocol/job.ts'
import type { Report } from '../../protocol/result.ts'
import { nextRetry } from '../../protocol/retry.ts'
import { slotIdOf } from '../../protocol/slot-id.ts'
import type { LateReport } from '../../protocol/standing-order.ts'
import { RunCancelled } from '../base/deadline.ts'
import { type KeptOrder, type OrderEntry, readOrder } from '../orders/order-book.ts'
import { delayOfSlot } from '../orders/ownership.ts'
import { isTooLate, slotToRun } from '../orders/slots-of-rule.ts'
import type { StandingOrders } from '../orders/standing-orders.ts'
import type { AgentCore } from './agent-state.ts'
import { createDueQueue, type DueQueue } from './due-queue.ts'
import type { HeldJob } from './held-job.ts'
import type { RanAlone } from './ran-alone.ts'

export type OrderRuns = {
  /** The agent is alone; the control plane had handed out what was due up to `knownTo`. */
  begin(knownTo: number): void
  /** It is not any more: no slot begins. */
  end(): void
  /** Nothing begins, and what waits is given up. */
  close(): void
  /** What still runs is stopped, and tells nothing. */
  cancel(): void
  /** A job of the control plane's is held. */
  noteJob(job: Job): void
  /** What has become of the slot of a job, if it was begun here. */
  runOf(job: Job): 'running' | 'reporting' | null
  running(): number
}

type OrderRunsOptions = {
  orders: StandingOrders
  ranAlone: RanAlone
  onReport(report: LateReport): void
  /** A run has ended: its last attempt. */
  onFinal(entry: OrderEntry, order: KeptOrder, report: LateReport): void
}

/** `isDelayed`: its first owner has had its time. */
type Due = { entry: OrderEntry; dueAt: number; isDelayed: boolean }

type Run = {
  entry: OrderEntry
  order: KeptOrder
  dueAt: number
  /** As ids say it. */
  location: string
  firstStartedAt: number | null
  /** Of the attempt that waits or runs; null between two of them. */
  held: HeldJob | null
  cancelTimer: (() => void) | null
}

type State = OrderRunsOptions & {
  agent: AgentCore
  queue: DueQueue<Due>
  alone: boolean
  closed: boolean
  /** By check. */
  runs: Map<string, Run>
  cancelTimer: (() => void) | null
}

export const createOrderRuns = (agent: AgentCore, options: OrderRunsOptions): OrderRuns => {
  const state: State = {
    ...options,
    agent,
    queue: createDueQueue<Due>(),
    alone: false,
    closed: false,
    runs: new Map(),
    cancelTimer: null,
  }
  return {
    begin: (knownTo) => begin(state, knownTo),
    end: () => end(state),
    close: () => {
      end(state)
      state.closed = true
      for (const run of state.runs.values()) giveUp(state, run)
    },
    cancel: () => {
      for (const { held } of state.runs.values()) held?.controller.abort(new RunCancelled())
    },
    noteJob: ({ checkId, runSource, dueAt }) => {
      const entry = options.orders.book.get(checkId)
      if (entry !== undefined && runSource === 'SCHEDULER') entry.ranTo = Math.max(entry.ranTo, dueAt)
    },
    runOf: (job) => runOf(state, job),
    running: () => state.runs.size,
  }
}

const serverNow = ({ agent }: State): number => Math.floor(agent.options.controlPlane.serverNow())

const begin = (state: State, knownTo: number): void => {
  if (state.closed) return
  state.alone = true
  const now = serverNow(state)
  for (const entry of state.orders.book.entries()) {
    const since = Math.max(Math.ceil(knownTo), entry.ranTo + 1)
    expect(state, entry, slotToRun(state.orders.book.slotsOf(entry), { since, now }))
  }
  turn(state)
}

const end = (state: State): void => {
  state.alone = false
  state.cancelTimer?.()
  state.cancelTimer = null
  state.queue.clear()
}

/** Begins what is due, and sets the timer for what is next. */
const turn = (state: State): void => {
  state.cancelTimer = null
  const { orders, queue, agent } = state
  const now = serverNow(state)
  if (!state.alone || !orders.areValid(now)) {
    queue.clear()
    return
  }
  for (const due of queue.take(now)) beginDue(state, due, now)
  agent.slots.fill()
  const next = queue.next()
  if (next === null) return
  const delayMs = Math.max(1, Math.ceil(next - agent.options.controlPlane.serverNow()))
  state.cancelTimer = agent.options.io.clock.at(delayMs, () => turn(state))
}

const expect = ({ queue }: State, entry: OrderEntry, dueAt: number): void =>
  queue.add(dueAt, { entry, dueAt, isDelayed: false })

const beginDue = (state: State, { entry, dueAt, isDelayed }: Due, now: number): void => {
  const { orders, queue, agent, ranAlone } = state
  if (!orders.book.has(entry)) return
  if (isDelayed) {
    beginRun(state, entry, dueAt)
    return
  }
  // From here on, however late it is: the loop may have stood.
  const slots = orders.book.slotsOf(entry)
  expect(state, entry, slotToRun(slots, { since: dueAt + 1, now }))
  const known = orders.known()
  const { checkId } = entry
  const isRun = dueAt <= entry.ranTo || ranAlone.byEarlier({ checkId, dueAt })
  if (known === null || isRun || isTooLate(slots, dueAt, now)) return
  const delayMs = delayOfSlot({ ...known, me: agent.options.agentId }, checkId, dueAt)
  if (delayMs === 0) {
    entry.ranTo = dueAt
    beginRun(state, entry, dueAt)
  } else if (delayMs !== null) queue.add(dueAt + delayMs, { entry, dueAt, isDelayed: true })
}

const beginRun = (state: State, entry: OrderEntry, dueAt: number): void => {
  const { runs, agent } = state
  const { checkId } = entry
  const before = runs.get(checkId)
  // One that has not found a slot until now has waited for as long as a run may.
  if (before?.held?.state === 'waiting') giveUp(state, before)
  if (runs.has(checkId) || runsForControlPlane(agent, checkId)) {
    agent.options.metrics.aloneRuns.inc({ outcome: 'overlapped' })
    return
  }
  const location = state.orders.known()?.location ?? ''
  const order = readOrder(entry)
  const run: Run = { entry, order, dueAt, location, firstStartedAt: null, held: null, cancelTimer: null }
  runs.set(checkId, run)
  state.ranAlone.begun(entry, slotIdOf({ checkId, location, dueAt, attempt: 1 }))
  beginAttempt(state, run, 1)
}

const runOf = ({ runs, ranAlone }: State, job: Job): ReturnType<OrderRuns['runOf']> => {
  if (job.attempt > 1 || job.runSource !== 'SCHEDULER') return null
  if (runs.get(job.checkId)?.dueAt === job.dueAt) return 'running'
  return ranAlone.has(job) ? 'reporting' : null
}

const runsForControlPlane = ({ held }: AgentCore, checkId: string): boolean =>
  [...held.values()].some((one) => one.job.checkId === checkId && one.state === 'running')

const beginAttempt = (state: State, run: Run, attempt: number): void => {
  const { agent } = state
  const job = jobOf(state, run, attempt)
  const held: HeldJob = {
    job,
    queue: queueOf(job.checkType as CheckType),
    state: 'waiting',
    controller: new AbortController(),
    renewedAt: agent.options.io.clock.monotonic(),
    length: textLength(job),
    lapsed: false,
    isRunAlone: false,
    onReport: (report) => onReport(state, run, { report, attempt }),
  }
  run.held = held
  agent.notStarted[held.queue] += 1
  agent.slots.add(held)
}

const jobOf = ({ agent }: State, { order, dueAt, location }: Run, attempt: number): Job => {
  const { checkId, certificate } = order
  const idOf = (number: number): string => slotIdOf({ checkId, location, dueAt, attempt: number })
  const id = idOf(attempt)
  const { certificates } = agent.options.io.egressRoutes
  return {
    ...order.job,
    ...(certificate === null
      ? {}
      : { certificate: { host: certificate.host, sealed: certificates.seal(certificate.content, id) } }),
    id,
    fence: 1,
    checkRunId: dueAt,
    sequenceId: idOf(1),
    attempt,
    dueAt,
    runAt: attempt === 1 ? dueAt : Math.floor(agent.options.controlPlane.serverNow()),
  }
}

type Ended = { report: Report; attempt: number }

const onReport = (state: State, run: Run, { report, attempt }: Ended): void => {
  const { runs, ranAlone, agent, orders } = state
  const { entry, order, dueAt } = run
  run.held = null
  agent.options.metrics.aloneRuns.inc({ outcome: nameOf(report) })
  if (report.outcome.kind === 'cancelled') {
    agent.options.artifacts.settled(report.jobId, 'lost')
    runs.delete(entry.checkId)
    if (attempt === 1) ranAlone.forget(report.jobId)
    return
  }
  if (attempt === 1) ranAlone.finished(report.jobId)
  run.firstStartedAt ??= report.startedAt
  const retryMs = waitOfRetry(run, { report, attempt })
  const late: LateReport = {
    ...report,
    checkId: entry.checkId,
    version: order.version,
    dueAt,
    attempt,
    firstStartedAt: run.firstStartedAt,
    retried: retryMs !== null && !state.closed,
    judgedBy: order.judgedBy,
  }
  state.onReport(late)
  if (late.retried && retryMs !== null) {
    run.cancelTimer = agent.options.io.clock.at(retryMs, () => {
      run.cancelTimer = null
      beginAttempt(state, run, attempt + 1)
      agent.slots.fill()
    })
    return
  }
  runs.delete(entry.checkId)
  if (orders.book.has(entry)) state.onFinal(entry, order, late)
}

const nameOf = ({ outcome }: Report): string => (outcome.kind === 'observed' ? 'run' : outcome.kind)

/** In milliseconds; null: it is not repeated. Where is not asked: there is no other place. */
const waitOfRetry = ({ order, firstStartedAt }: Run, { report, attempt }: Ended): number | null => {
  const { outcome, startedAt, stoppedAt } = report
  const { hasFailures, hasErrors } = evaluate(outcome, order.judgedBy)
  if (!(hasFailures || hasErrors)) return null
  const retry = nextRetry(order.retries, {
    attempt,
    networkError: outcome.kind === 'observed' && outcome.observation.failure?.network === true,
    elapsedMs: stoppedAt - (firstStartedAt ?? startedAt),
    parallel: order.slots.parallel,
  })
  return retry?.waitMs ?? null
}

/** Unless it runs: then it ends by itself. */
const giveUp = ({ runs, ranAlone, agent }: State, run: Run): void => {
  const { held, entry, cancelTimer } = run
  if (held !== null && held.state !== 'waiting') return
  cancelTimer?.()
  if (held !== null) {
    agent.notStarted[held.queue] -= 1
    held.controller.abort(new RunCancelled())
    if (held.job.attempt === 1) ranAlone.forget(held.job.id)
  }
  runs.delete(entry.checkId)
}
